// irkiss: --property atomicity ; expect: none ; forms: nopass ; lazy: yes
//
// The handler of a signal writes the state whatever the thread that it interrupts has read there.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int state;

static void interrupted(int number)
{
    (void)number;
    atomic_store(&state, 2);
}

static void *other(void *unused)
{
    atomic_store(&state, 1);
    return unused;
}

int main(void)
{
    pthread_t a;

    signal(SIGUSR1, interrupted);
    pthread_create(&a, 0, other, 0);
    if (atomic_load(&state) == 0)
        sleep(1);
    pthread_join(a, 0);
    return 0;
}

// irkiss: --property atomicity ; expect: finds ; forms: nopass ; lazy: yes
//
// The handler of a signal looks at the state and writes it in two steps: what another thread writes between them is lost.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int state;

static void interrupted(int number)
{
    (void)number;
    if (atomic_load(&state) == 0) // FINDS:atomicity
        atomic_store(&state, 2); // FINDS:atomicity
}

static void *other(void *unused)
{
    atomic_store(&state, 1); // FINDS:atomicity
    return unused;
}

int main(void)
{
    pthread_t a;

    signal(SIGUSR1, interrupted);
    pthread_create(&a, 0, other, 0);
    sleep(1);
    pthread_join(a, 0);
    return 0;
}

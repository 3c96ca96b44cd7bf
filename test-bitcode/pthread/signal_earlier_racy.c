// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// What signal answers is the handler that was there before; it counts.
#include <pthread.h>
#include <signal.h>

static int count;
static void (*old)(int);
static void first(int number) { (void)number; count++; } // RACE
static void second(int number) { (void)number; }

static void *work(void *argument)
{
    if (old != SIG_DFL)
        old(SIGUSR1);
    return argument;
}

int main(void)
{
    pthread_t a, b;

    signal(SIGUSR1, first);
    old = signal(SIGUSR1, second);
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

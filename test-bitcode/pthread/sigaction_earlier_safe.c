// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// As sigaction_earlier_racy.c, with a counter that is atomic.
#include <pthread.h>
#include <signal.h>

static _Atomic int count;
static void (*old)(int);
static void first(int number) { (void)number; count++; }
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
    struct sigaction action = { .sa_handler = first }, before;
    sigaction(SIGUSR1, &action, 0);
    action.sa_handler = second;
    sigaction(SIGUSR1, &action, &before);
    old = before.sa_handler;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// A signal whose handler was taken away runs none.
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static _Atomic int count;
static _Atomic int raised;
static void handler(int number) { (void)number; count++; }

static void *work(void *argument)
{
    raise(SIGUSR1);
    raised = 1;
    return argument;
}

int main(void)
{
    pthread_t a;

    signal(SIGUSR1, handler);
    signal(SIGUSR1, SIG_IGN);
    pthread_create(&a, 0, work, 0);
    pthread_join(a, 0);
    assert(raised);
    assert(count == 0);
    return 0;
}

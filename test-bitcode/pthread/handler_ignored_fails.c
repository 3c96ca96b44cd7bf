// irkiss: ; expect: assert ; forms: nopass ; lazy: yes
//
// A signal that is ignored for a while has its handler again.
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
    signal(SIGUSR1, handler);
    pthread_create(&a, 0, work, 0);
    pthread_join(a, 0);
    assert(raised);
    assert(count == 0); // ASSERT-FAILS
    return 0;
}

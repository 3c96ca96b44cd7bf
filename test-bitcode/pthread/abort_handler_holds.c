// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// abort raises no other signal, and does not come back.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static void handler(int number) { (void)number; assert(0); }

static void *work(void *argument)
{
    abort();
    assert(0);
    return argument;
}

int main(void)
{
    pthread_t a;

    signal(SIGUSR1, handler);
    pthread_create(&a, 0, work, 0);
    pthread_detach(a);
    return 0;
}

// irkiss: ; expect: assert ; forms: nopass ; lazy: yes
//
// abort raises SIGABRT, whose handler runs.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static void handler(int number) { (void)number; assert(0); } // ASSERT-FAILS

static void *work(void *argument)
{
    abort();
    assert(0);
    return argument;
}

int main(void)
{
    pthread_t a;

    signal(SIGABRT, handler);
    pthread_create(&a, 0, work, 0);
    pthread_detach(a);
    return 0;
}

// irkiss: ; expect: assert ; forms: nopass ; lazy: yes
//
// Who is cancelled while it initialises has not initialised: another thread does it again.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic int begun;

static void initialise(void)
{
    assert(begun++ == 0); // ASSERT-FAILS
    sleep(1);
}

static void *work(void *argument)
{
    pthread_once(&once, initialise);
    return argument;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, work, 0);
    pthread_cancel(a);
    pthread_once(&once, initialise);
    pthread_join(a, 0);
    return 0;
}

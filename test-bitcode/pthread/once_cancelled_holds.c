// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// Who is cancelled only afterwards has initialised.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic int begun;

static void initialise(void) { assert(begun++ == 0); }

static void *work(void *argument)
{
    pthread_once(&once, initialise);
    sleep(1);
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

// irkiss: ; expect: assert ; forms: nopass ; lazy: yes
//
// A destructor that sets the value again runs in the next round, too.
#include <assert.h>
#include <pthread.h>

static pthread_key_t key;
static int left = 1;

static void drain(void *p)
{
    assert(left == 1); // ASSERT-FAILS
    left = 0;
    pthread_setspecific(key, p);
}

static void *work(void *argument)
{
    pthread_setspecific(key, argument);
    return argument;
}

int main(void)
{
    pthread_t a;
    int x;

    pthread_key_create(&key, drain);
    pthread_create(&a, 0, work, &x);
    pthread_join(a, 0);
    return 0;
}

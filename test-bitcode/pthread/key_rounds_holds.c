// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// There are no more than four rounds (PTHREAD_DESTRUCTOR_ITERATIONS), and fewer if nothing is left; C11's keys are the same.
#include <assert.h>
#include <pthread.h>
#include <threads.h>

static pthread_key_t key;
static tss_t other;
static int rounds, others;

static void always(void *p)
{
    rounds++;
    pthread_setspecific(key, p);
}

static void twice(void *p)
{
    if (++others < 2)
        tss_set(other, p);
}

static void *work(void *argument)
{
    pthread_setspecific(key, argument);
    tss_set(other, argument);
    return argument;
}

int main(void)
{
    pthread_t a;
    int x;

    pthread_key_create(&key, always);
    tss_create(&other, twice);
    pthread_create(&a, 0, work, &x);
    pthread_join(a, 0);
    assert(rounds == 4 && others == 2);
    return 0;
}

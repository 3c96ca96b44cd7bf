// irkiss: --property assert --work 400k ; expect: unknown ; forms: nopass ; lazy: yes
//
// The function calls itself more often than the search follows: what is asserted of its answer was never looked at.
#include <assert.h>
#include <pthread.h>

static int depth;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int walk(int n)
{
    if (n == 0)
        return 0;
    return 1 + walk(n - 1);
}

static void *measure(void *rest)
{
    int n = walk((int)(long)rest);
    pthread_mutex_lock(&lock);
    depth += n;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t s, t;
    if (pthread_create(&s, 0, measure, (void *)9) || pthread_create(&t, 0, measure, (void *)0))
        return 1;
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(depth == 0);
    return 0;
}

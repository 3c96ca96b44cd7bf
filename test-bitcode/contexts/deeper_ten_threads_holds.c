// irkiss: --work 800k ; expect: none ; lazy: yes
//
// Ten threads, of which each adds to the sum in one critical section. Balanced executions of so many are too
// many; two rounds of them are few.
#include <assert.h>
#include <pthread.h>

#define THREADS 10

static int sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *arg)
{
    pthread_mutex_lock(&lock);
    sum = sum + 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], 0, add, 0))
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(sum == THREADS);
    return 0;
}

// irkiss: ; expect: none
//
// The lock that both threads use is initialised before they start, one of its own by each thread.
#include <pthread.h>

static pthread_mutex_t lock;
static int count;

static void *worker(void *unused)
{
    pthread_mutex_t own;

    pthread_mutex_init(&own, NULL);
    pthread_mutex_lock(&own);
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&own);
    return unused;
}

int main(void)
{
    pthread_t first, second;

    pthread_mutex_init(&lock, NULL);
    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, worker, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}

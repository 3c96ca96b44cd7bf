// irkiss: --property deadlock ; expect: finds
//
// Who is cancelled while it waits for a condition has the mutex again, and keeps it.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;

static void *waits(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&ready, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, waits, 0);
    pthread_cancel(a);
    pthread_join(a, 0);
    pthread_mutex_lock(&lock); // FINDS:deadlock
    pthread_mutex_unlock(&lock);
    return 0;
}

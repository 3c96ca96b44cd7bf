// irkiss: --property deadlock --work 400k ; expect: none
//
// A thread that waits for what never comes is cancelled, wherever it is, and gives the lock back before it ends.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;

static void give_back(void *mutex) { pthread_mutex_unlock(mutex); }

static void *waits(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(give_back, &lock);
    for (;;)
        pthread_cond_wait(&ready, &lock);
    pthread_cleanup_pop(1);
    return unused;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, waits, 0);
    pthread_cancel(a);
    pthread_join(a, 0);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

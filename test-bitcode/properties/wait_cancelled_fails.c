// irkiss: --property deadlock ; expect: finds
//
// A thread is cancelled while it holds a lock, which nobody gives back.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *holds(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_testcancel();
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, holds, 0);
    pthread_cancel(a);
    pthread_join(a, 0);
    pthread_mutex_lock(&lock); // FINDS:deadlock
    pthread_mutex_unlock(&lock);
    return 0;
}

// irkiss: --property deadlock ; expect: finds
//
// The signal comes before what is waited for is so: who waits meanwhile is never woken again, and main waits for it.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waits(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock); // FINDS:deadlock
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *wakes(void *unused)
{
    pthread_cond_signal(&changed);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, waits, 0);
    pthread_create(&b, 0, wakes, 0);
    pthread_join(a, 0); // FINDS:deadlock
    pthread_join(b, 0);
    return 0;
}

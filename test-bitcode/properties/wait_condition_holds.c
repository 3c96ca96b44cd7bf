// irkiss: --property deadlock --work 800k ; expect: none
//
// The signal comes after what is waited for is so.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waits(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *wakes(void *unused)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    pthread_cond_signal(&changed);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, waits, 0);
    pthread_create(&b, 0, wakes, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

// irkiss: ; expect: race
//
// A weak function that nobody defines: whether it is there is not known, and where it is not, neither is the lock.
#include <pthread.h>

extern void hook(void) __attribute__((weak));

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *unused)
{
    if (hook)
        pthread_mutex_lock(&mutex);
    count++; // RACE
    if (hook)
        pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

// irkiss: --work 400k ; expect: none
//
// Whether a weak function is there is not known, but it is the same for the whole run: one of two locks is held by both.
#include <pthread.h>

extern void hook(void) __attribute__((weak));

static pthread_mutex_t without = PTHREAD_MUTEX_INITIALIZER, mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *unused)
{
    if (hook)
        pthread_mutex_lock(&mutex);
    else
        pthread_mutex_lock(&without);
    count++;
    if (hook)
        pthread_mutex_unlock(&mutex);
    else
        pthread_mutex_unlock(&without);
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

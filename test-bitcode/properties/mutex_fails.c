// irkiss: --property lock-misuse ; expect: finds
//
// Mutexes of threads: locked twice, unlocked by another thread, still locked at the end of the thread.
#include <pthread.h>

static pthread_mutex_t twice = PTHREAD_MUTEX_INITIALIZER, others = PTHREAD_MUTEX_INITIALIZER, kept = PTHREAD_MUTEX_INITIALIZER;

static void *again(void *unused)
{
    pthread_mutex_lock(&twice);
    pthread_mutex_lock(&twice); // FINDS:double-acquire
    return 0;
}

static void *other(void *unused)
{
    pthread_mutex_unlock(&others); // FINDS:release-not-held
    return 0;
}

static void *keeper(void *unused)
{
    pthread_mutex_lock(&kept); // FINDS:return-with-lock-held
    return 0;
}

int main(void)
{
    pthread_t a, b, c;

    pthread_create(&a, 0, again, 0);
    pthread_mutex_lock(&others);
    pthread_create(&b, 0, other, 0);
    pthread_create(&c, 0, keeper, 0);
    return 0;
}

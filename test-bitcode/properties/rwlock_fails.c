// irkiss: --property lock-misuse ; expect: finds
//
// Reader-writer locks of threads: given back by who does not hold them, and once too often.
#include <pthread.h>

static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER, read = PTHREAD_RWLOCK_INITIALIZER;

static void *other(void *unused)
{
    pthread_rwlock_unlock(&written); // FINDS:release-not-held
    return unused;
}

static void *too_often(void *unused)
{
    pthread_rwlock_rdlock(&read);
    pthread_rwlock_unlock(&read);
    pthread_rwlock_unlock(&read); // FINDS:release-not-held
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_rwlock_wrlock(&written);
    pthread_create(&a, 0, other, 0);
    pthread_create(&b, 0, too_often, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_rwlock_unlock(&written);
    return 0;
}

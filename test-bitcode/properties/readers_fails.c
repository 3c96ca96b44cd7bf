// irkiss: --property deadlock ; expect: finds
//
// A reader waits for the mutex of a writer that waits for the readers.
#include <pthread.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *unused)
{
    pthread_rwlock_rdlock(&table);
    pthread_mutex_lock(&lock); // FINDS:deadlock
    pthread_mutex_unlock(&lock);
    pthread_rwlock_unlock(&table);
    return 0;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, 0, reader, 0);
    pthread_mutex_lock(&lock);
    pthread_rwlock_wrlock(&table); // FINDS:deadlock
    pthread_rwlock_unlock(&table);
    pthread_mutex_unlock(&lock);
    return 0;
}

// irkiss: ; expect: none; by: lockset
// irkiss: --tier kiss ; expect: none
//
// Two threads that run the same function take either side of a reader-writer lock, which keeps apart whose hold it gives back.
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int level;

static void *worker(void *argument)
{
    int seen;
    pthread_rwlock_rdlock(&lock);
    seen = level; // NORACE
    pthread_rwlock_unlock(&lock);
    if (seen == 0 && pthread_rwlock_trywrlock(&lock) == 0) {
        level = 1; // NORACE
        pthread_rwlock_unlock(&lock);
    }
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    pthread_rwlock_wrlock(&lock);
    level = 0; // NORACE
    pthread_rwlock_unlock(&lock);
    return 0;
}

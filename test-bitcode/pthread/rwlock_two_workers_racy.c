// irkiss: ; expect: race
// irkiss: --tier kiss ; expect: race
//
// The twin of rwlock_two_workers_safe.c: what is read is kept in a variable that readers share.
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int level, last;

static void *worker(void *argument)
{
    int seen;
    pthread_rwlock_rdlock(&lock);
    seen = last = level; // RACE
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

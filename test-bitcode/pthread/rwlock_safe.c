// irkiss: ; expect: none
// irkiss: --tier coverability --property race ; expect: none; by: coverability
//
// A write under a write lock.
#include <pthread.h>
#include <stddef.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int value, seen;

static void *worker(void *argument)
{
    pthread_rwlock_rdlock(&lock);
    seen = value; // NORACE
    pthread_rwlock_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_rwlock_wrlock(&lock);
    value = 2; // NORACE
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    return seen;
}

// irkiss: ; expect: assert
//
// The read lock is given back before the write lock is taken, and the value read is trusted: no race, but a lost claim.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int claimed;
int owners;

static void claim(void)
{
    int was;
    pthread_rwlock_rdlock(&lock);
    was = claimed;
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    if (!was) {
        claimed = 1;
        owners++;
        assert(owners == 1); // ASSERT-FAILS
    }
    pthread_rwlock_unlock(&lock);
}

static void *worker(void *argument)
{
    claim();
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    claim();
    pthread_join(thread, NULL);
    return 0;
}

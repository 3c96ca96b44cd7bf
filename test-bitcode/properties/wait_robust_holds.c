// irkiss: --property deadlock ; expect: none
//
// A robust mutex whose owner has ended is handed over.
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;

static void *leaves(void *unused)
{
    pthread_mutex_lock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a;
    pthread_mutexattr_t robust;

    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &robust);
    pthread_create(&a, 0, leaves, 0);
    if (pthread_mutex_lock(&lock) == EOWNERDEAD)
        pthread_mutex_consistent(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(a, 0);
    return 0;
}

// irkiss: --tier lockset ; expect: none ; by: lockset
//
// The parameter says whether the caller has the lock already.
#include <pthread.h>
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int value;

static void update(_Bool locked)
{
    if (!locked)
        pthread_mutex_lock(&lock);
    value++; // NORACE
    if (!locked)
        pthread_mutex_unlock(&lock);
}

static void *worker(void *argument)
{
    update(0);
    pthread_mutex_lock(&lock);
    update(1);
    pthread_mutex_unlock(&lock);
    return argument;
}

static void *other(void *argument)
{
    pthread_mutex_lock(&lock);
    value = 2; // NORACE
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, other, NULL);
    return 0;
}

// irkiss: --tier lockset ; expect: none ; by: lockset
//
// The conditions are computed anew each time: one follows from another.
#include <pthread.h>
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int value;

static void *worker(void *argument)
{
    int length = __VERIFIER_nondet_int();

    if (length > -1)
        pthread_mutex_lock(&lock);
    if (length > 0)
        value = length; // NORACE
    if (length >= 0)
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

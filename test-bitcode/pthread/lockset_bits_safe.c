// irkiss: --tier lockset ; expect: none ; by: lockset
//
// One bit of the flags says whether the lock is taken; two numbers, which way round.
#include <pthread.h>
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int value;

#define NONBLOCK 1
#define APPEND 2

static void *worker(void *argument)
{
    int flags = __VERIFIER_nondet_int(), from = __VERIFIER_nondet_int(), to = __VERIFIER_nondet_int();

    if (!(flags & NONBLOCK))
        pthread_mutex_lock(&lock);
    if (!(flags & NONBLOCK))
        value = 1; // NORACE
    if (!(flags & NONBLOCK))
        pthread_mutex_unlock(&lock);
    if (from < to)
        pthread_mutex_lock(&lock);
    if (to > from)
        value = 3; // NORACE
    if (from < to)
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

// irkiss: ; expect: race
//
// As lockset_bits_safe.c, but another bit is tested.
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
    if (!(flags & APPEND))
        value = 1; // RACE
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
    value = 2; // RACE
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

// irkiss: --tier lockset ; expect: none ; by: lockset
//
// One label is reached with the lock and without; the error tells which.
#include <pthread.h>
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int value;

#define EINVAL 22
#define EBUSY 16

static int change(int size)
{
    int error = -EINVAL;

    if (size == 0)
        goto out;
    error = -EBUSY;
    if (pthread_mutex_trylock(&lock) != 0)
        goto out;
    error = size == 7 ? 5 : 0;
out:
    if (error < 0)
        return error;
    value = size; // NORACE
    pthread_mutex_unlock(&lock);
    return error;
}

static void *worker(void *argument)
{
    change(__VERIFIER_nondet_int());
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

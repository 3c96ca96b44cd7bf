// irkiss: --tier lockset ; expect: none ; by: lockset
//
// A function that calls itself, and lets the lock go in between; loops that do so in some turns.
#include <pthread.h>
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int value;

static void descend(int depth)
{
    value++; // NORACE
    if (depth > 0) {
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        descend(depth - 1);
        value++; // NORACE
    }
}

static void *worker(void *argument)
{
    int turns = __VERIFIER_nondet_int();

    pthread_mutex_lock(&lock);
    while (turns-- > 0) {
        if (__VERIFIER_nondet_int()) {
            pthread_mutex_unlock(&lock);
            pthread_mutex_lock(&lock);
        }
        value = turns; // NORACE
    }
    descend(turns & 3);
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

// irkiss: ; expect: race
//
// As lockset_asked_safe.c, but one caller says so without having it.
#include <pthread.h>
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int value;

static void update(_Bool locked)
{
    if (!locked)
        pthread_mutex_lock(&lock);
    value++; // RACE
    if (!locked)
        pthread_mutex_unlock(&lock);
}

static void *worker(void *argument)
{
    update(0);
    update(1);
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

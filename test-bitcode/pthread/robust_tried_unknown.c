// irkiss: ; expect: unknown
//
// Who tries a robust mutex whose owner has ended is told so (EOWNERDEAD): that is not modelled, and not passed over.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock;
static int value;

static void *leaves(void *unused)
{
    pthread_mutex_lock(&lock);
    value = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attributes);
    if (pthread_create(&thread, NULL, leaves, NULL))
        return 1;
    pthread_join(thread, NULL);
    if (pthread_mutex_trylock(&lock))
        value = 2;
    return 0;
}

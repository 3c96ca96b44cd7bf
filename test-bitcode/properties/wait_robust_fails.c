// irkiss: --property deadlock ; expect: finds
//
// Two threads take two robust mutexes in either order: their owners do not end.
#include <pthread.h>

static pthread_mutex_t first, second;

static void *backwards(void *unused)
{
    pthread_mutex_lock(&second);
    pthread_mutex_lock(&first); // FINDS:deadlock
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
    return unused;
}

int main(void)
{
    pthread_t a;
    pthread_mutexattr_t robust;

    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&first, &robust);
    pthread_mutex_init(&second, &robust);
    pthread_create(&a, 0, backwards, 0);
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second); // FINDS:deadlock
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    pthread_join(a, 0);
    return 0;
}

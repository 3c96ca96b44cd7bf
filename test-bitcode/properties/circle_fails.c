// irkiss: --property deadlock --ts 2 ; expect: finds
//
// Three philosophers.
#include <pthread.h>

static pthread_mutex_t fork[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };

static void *second(void *unused)
{
    pthread_mutex_lock(&fork[1]);
    pthread_mutex_lock(&fork[2]); // FINDS:deadlock
    pthread_mutex_unlock(&fork[2]);
    pthread_mutex_unlock(&fork[1]);
    return 0;
}

static void *third(void *unused)
{
    pthread_mutex_lock(&fork[2]);
    pthread_mutex_lock(&fork[0]); // FINDS:deadlock
    pthread_mutex_unlock(&fork[0]);
    pthread_mutex_unlock(&fork[2]);
    return 0;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, second, 0);
    pthread_create(&b, 0, third, 0);
    pthread_mutex_lock(&fork[0]);
    pthread_mutex_lock(&fork[1]); // FINDS:deadlock
    pthread_mutex_unlock(&fork[1]);
    pthread_mutex_unlock(&fork[0]);
    return 0;
}

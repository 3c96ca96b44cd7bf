// irkiss: --property deadlock --ts 2 ; expect: none
//
// As circle_fails.c; the third one takes the forks in the order of their numbers.
#include <pthread.h>

static pthread_mutex_t fork[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };

static void *second(void *unused)
{
    pthread_mutex_lock(&fork[1]);
    pthread_mutex_lock(&fork[2]);
    pthread_mutex_unlock(&fork[2]);
    pthread_mutex_unlock(&fork[1]);
    return 0;
}

static void *third(void *unused)
{
    pthread_mutex_lock(&fork[0]);
    pthread_mutex_lock(&fork[2]);
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
    pthread_mutex_lock(&fork[1]);
    pthread_mutex_unlock(&fork[1]);
    pthread_mutex_unlock(&fork[0]);
    return 0;
}

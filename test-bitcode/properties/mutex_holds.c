// irkiss: --property lock-misuse --work 400k ; expect: none
//
// As mutex_fails.c, with mutexes that know their owner where that is what is needed.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t twice = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t others = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, kept = PTHREAD_MUTEX_INITIALIZER;

static void *again(void *unused)
{
    pthread_mutex_lock(&twice);
    pthread_mutex_lock(&twice);
    pthread_mutex_unlock(&twice);
    pthread_mutex_unlock(&twice);
    return 0;
}

static void *other(void *unused)
{
    return pthread_mutex_unlock(&others) ? 0 : unused;
}

static void *keeper(void *unused)
{
    if (pthread_mutex_trylock(&kept) == 0)
        pthread_mutex_unlock(&kept);
    return 0;
}

int main(void)
{
    pthread_t a, b, c;

    pthread_create(&a, 0, again, 0);
    pthread_mutex_lock(&others);
    pthread_create(&b, 0, other, 0);
    pthread_create(&c, 0, keeper, 0);
    pthread_mutex_unlock(&others);
    return 0;
}

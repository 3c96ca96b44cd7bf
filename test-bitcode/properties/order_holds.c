// irkiss: --property deadlock --work 400k ; expect: none
// irkiss: --property deadlock --tier contexts --contexts 2 ; expect: none
//
// As order_fails.c: opposite orders, but never at once (a third lock is around one of them, and the other only tries).
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *one(void *unused)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(&a);
    x++;
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&gate);
    return 0;
}

static void *tries(void *unused)
{
    pthread_mutex_lock(&b);
    if (pthread_mutex_trylock(&a) == 0)
        pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return 0;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, 0, one, 0);
    pthread_create(&second, 0, tries, 0);
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    x++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&gate);
    return 0;
}

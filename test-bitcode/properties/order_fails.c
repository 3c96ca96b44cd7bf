// irkiss: --property deadlock ; expect: finds
// irkiss: --property deadlock --tier contexts --contexts 2 ; expect: finds
//
// Two threads take two locks in opposite orders; a thread waits for a writer of its own.
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *one(void *unused)
{
    pthread_mutex_lock(&a);
    x++;
    pthread_mutex_lock(&b); // FINDS:deadlock
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return 0;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, 0, one, 0);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); // FINDS:deadlock
    x++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    pthread_join(thread, 0);
    return 0;
}

// irkiss: --property deadlock --work 800k ; expect: none
//
// As wait_nobody_signals_fails.c; the other thread takes the item, if it is there.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t room = PTHREAD_COND_INITIALIZER;
static int items = 1;

static void *producer(void *unused)
{
    pthread_mutex_lock(&lock);
    while (items > 0)
        pthread_cond_wait(&room, &lock);
    items++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *looker(void *unused)
{
    pthread_mutex_lock(&lock);
    items = 0;
    pthread_mutex_unlock(&lock);
    pthread_cond_signal(&room);
    return unused;
}

int main(void)
{
    pthread_t p, l;

    pthread_create(&p, 0, producer, 0);
    pthread_create(&l, 0, looker, 0);
    pthread_join(p, 0);
    pthread_join(l, 0);
    return 0;
}

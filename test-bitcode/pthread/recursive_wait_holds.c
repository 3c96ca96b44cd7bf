// irkiss: --property deadlock --work 400k ; expect: none ; forms: nopass
//
// One that is held once is given up.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void wait_until_ready(void)
{
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void *produce(void *argument)
{
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, produce, 0);
    wait_until_ready();
    pthread_join(a, 0);
    return 0;
}

// irkiss: ; expect: unknown ; reason: what is read and written meanwhile ; forms: nopass ; lazy: yes
//
// What the system does with a buffer meanwhile is not followed.
#define _GNU_SOURCE
#include <aio.h>
#include <pthread.h>

static int value;
static struct aiocb request;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    aio_read(&request);
    value++;
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

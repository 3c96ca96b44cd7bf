// irkiss: ; expect: none
//
// A thread that is cancelled ends where it may wait; what locks exclude they exclude still.
#include <pthread.h>
#include <stddef.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int value;

static void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    value = 1;
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_cancel(thread);
    pthread_mutex_lock(&lock);
    value = 2;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}

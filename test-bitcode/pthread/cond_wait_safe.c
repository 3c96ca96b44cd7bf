// irkiss: ; expect: none
// irkiss: --tier coverability --property race ; expect: none; by: coverability
//
// Data are announced under the lock, by a condition.
#include <pthread.h>
#include <stddef.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int ready, data;

static void *worker(void *argument)
{
    data = 42; // NORACE
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;
    int seen;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&cond, &lock);
    pthread_mutex_unlock(&lock);
    seen = data; // NORACE
    pthread_join(thread, NULL);
    return seen;
}

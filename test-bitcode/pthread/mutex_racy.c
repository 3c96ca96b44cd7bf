// irkiss: ; expect: race ; golden: yes
//
// Two threads, each under a lock of its own.
#include <pthread.h>
#include <stddef.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
int counter;

static void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    counter++; // RACE
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&other);
    counter++; // RACE
    pthread_mutex_unlock(&other);
    pthread_join(thread, NULL);
    return 0;
}

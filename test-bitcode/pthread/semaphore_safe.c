// irkiss: ; expect: none
// irkiss: --tier coverability --property race ; expect: none; by: coverability
//
// A semaphore with one permit excludes.
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

sem_t permits;
int value;

static void *worker(void *argument)
{
    sem_wait(&permits);
    value++; // NORACE
    sem_post(&permits);
    return argument;
}

int main(void)
{
    pthread_t thread;
    sem_init(&permits, 0, 1);
    pthread_create(&thread, NULL, worker, NULL);
    sem_wait(&permits);
    value++; // NORACE
    sem_post(&permits);
    pthread_join(thread, NULL);
    return 0;
}

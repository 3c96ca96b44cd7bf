// irkiss: ; expect: none
// irkiss: --tier coverability --property race ; expect: none; by: coverability
//
// A recursive mutex, taken twice, is given back once before the access.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
int value;

static void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    value = 1; // NORACE
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    value = 2; // NORACE
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}

// irkiss: ; expect: none
// irkiss: --tier coverability --property race ; expect: none; by: coverability
//
// As recursive_safe.c, with the type set by an attribute.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

pthread_mutex_t lock;
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
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attributes);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    value = 2; // NORACE
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}

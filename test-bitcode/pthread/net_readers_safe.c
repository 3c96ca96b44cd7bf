// irkiss: --tier coverability ; expect: none; by: coverability; lazy: yes
//
// Any number of readers of a lock, and any number of writers.
#include <pthread.h>
#include <stddef.h>

extern _Bool __irkiss_nondet_bool(void);
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int data;

static void *look(void *argument)
{
    int found;
    pthread_rwlock_rdlock(&lock);
    found = data; // NORACE
    pthread_rwlock_unlock(&lock);
    return found ? argument : NULL;
}

static void *change(void *argument)
{
    pthread_rwlock_wrlock(&lock);
    data++; // NORACE
    pthread_rwlock_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;
    while (__irkiss_nondet_bool()) {
        if (__irkiss_nondet_bool())
            pthread_create(&thread, NULL, look, NULL);
        else
            pthread_create(&thread, NULL, change, NULL);
    }
    return 0;
}

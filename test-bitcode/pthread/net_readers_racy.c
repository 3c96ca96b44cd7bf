// irkiss: ; expect: race
//
// As net_readers_safe.c, but who writes holds the lock for reading.
#include <pthread.h>
#include <stddef.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int data;

static void *look(void *argument)
{
    int found;
    pthread_rwlock_rdlock(&lock);
    found = data; // RACE
    pthread_rwlock_unlock(&lock);
    return found ? argument : NULL;
}

static void *change(void *argument)
{
    pthread_rwlock_rdlock(&lock);
    data++; // RACE
    pthread_rwlock_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
    pthread_create(&thread, NULL, change, NULL);
    return 0;
}

// irkiss: --tier coverability ; expect: none; by: coverability; lazy: yes
//
// A gate: any number of threads go in and out while it is open; who closes it waits until nobody is behind it. No lock is held at the accesses.
#include <pthread.h>
#include <stddef.h>

extern _Bool __irkiss_nondet_bool(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int users, closed, data;

static void *use(void *argument)
{
    pthread_mutex_lock(&lock);
    if (closed) {
        pthread_mutex_unlock(&lock);
        return argument;
    }
    users++;
    pthread_mutex_unlock(&lock);
    if (data) // NORACE
        argument = NULL;
    pthread_mutex_lock(&lock);
    users--;
    pthread_mutex_unlock(&lock);
    return argument;
}

static void *close_it(void *argument)
{
    int left = 1;
    pthread_mutex_lock(&lock);
    closed = 1;
    pthread_mutex_unlock(&lock);
    while (left) {
        pthread_mutex_lock(&lock);
        left = users;
        pthread_mutex_unlock(&lock);
    }
    data = 1; // NORACE
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, close_it, NULL);
    while (__irkiss_nondet_bool())
        pthread_create(&thread, NULL, use, NULL);
    return 0;
}

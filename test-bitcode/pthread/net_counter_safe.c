// irkiss: ; expect: none; by: lockset; lazy: yes
// irkiss: --tier coverability ; expect: none; by: coverability; lazy: yes
//
// Table 1 of "Model Checking Race-Freeness", CounterWithLock.
#include <pthread.h>
#include <stddef.h>

extern _Bool __irkiss_nondet_bool(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter;

static void *count(void *argument)
{
    pthread_mutex_lock(&lock);
    counter++; // NORACE
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;
    while (__irkiss_nondet_bool())
        pthread_create(&thread, NULL, count, NULL);
    return 0;
}

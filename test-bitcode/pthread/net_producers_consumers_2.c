// irkiss: ; expect: none; by: lockset; lazy: yes
// irkiss: --tier coverability ; expect: none; by: coverability; lazy: yes
//
// Table 1 of "Model Checking Race-Freeness", Prods/Cons 2 ("another variant"): the lock is taken anew for each item, and the wait is
// in a loop around the condition.
#include <pthread.h>
#include <stddef.h>

extern _Bool __irkiss_nondet_bool(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t empty = PTHREAD_COND_INITIALIZER, full = PTHREAD_COND_INITIALIZER;
int filled, buffer;

static void *produce(void *argument)
{
    while (__irkiss_nondet_bool()) {
        pthread_mutex_lock(&lock);
        while (filled) // NORACE
            pthread_cond_wait(&empty, &lock);
        buffer = 1; // NORACE
        filled = 1; // NORACE
        pthread_cond_signal(&full);
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

static void *consume(void *argument)
{
    int value = 0;
    while (__irkiss_nondet_bool()) {
        pthread_mutex_lock(&lock);
        while (!filled) // NORACE
            pthread_cond_wait(&full, &lock);
        value += buffer; // NORACE
        filled = 0; // NORACE
        pthread_cond_signal(&empty);
        pthread_mutex_unlock(&lock);
    }
    return value ? argument : NULL;
}

int main(void)
{
    pthread_t thread;
    while (__irkiss_nondet_bool()) {
        if (__irkiss_nondet_bool())
            pthread_create(&thread, NULL, produce, NULL);
        else
            pthread_create(&thread, NULL, consume, NULL);
    }
    return 0;
}

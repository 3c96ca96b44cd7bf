// irkiss: ; expect: none
//
// Work is done through function pointers, under the lock.
#include <pthread.h>
#include <stddef.h>

struct operations {
    void (*first)(void);
    void (*second)(void);
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int value;

static void set(void)
{
    value = 1; // NORACE
}

static void increment(void)
{
    value++; // NORACE
}

static const struct operations operations = { set, increment };

static void perform(void (*operation)(void))
{
    pthread_mutex_lock(&lock);
    operation();
    pthread_mutex_unlock(&lock);
}

static void *worker(void *argument)
{
    perform(operations.first);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    perform(operations.second);
    pthread_join(thread, NULL);
    return 0;
}

// irkiss: ; expect: race
//
// Work is done through function pointers, without the lock.
#include <pthread.h>
#include <stddef.h>

struct operations {
    void (*first)(void);
    void (*second)(void);
};

int value;

static void set(void)
{
    value = 1; // RACE
}

static void increment(void)
{
    value++; // RACE
}

static const struct operations operations = { set, increment };

static void perform(void (*operation)(void))
{
    operation();
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

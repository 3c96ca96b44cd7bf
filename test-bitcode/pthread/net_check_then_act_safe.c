// irkiss: ; expect: none; by: lockset; lazy: yes
// irkiss: --tier coverability ; expect: none; by: coverability; lazy: yes
//
// Table 1 and figure 5 of "Model Checking Race-Freeness", CheckThenAct-Lock.
#include <pthread.h>
#include <stddef.h>

extern _Bool __irkiss_nondet_bool(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int data, this_way, that_way;

static void *change(void *argument)
{
    pthread_mutex_lock(&lock);
    data++; // NORACE
    pthread_mutex_unlock(&lock);
    return argument;
}

static void *check(void *argument)
{
    pthread_mutex_lock(&lock);
    if (data > 0) // NORACE
        this_way++; // NORACE
    else
        that_way++; // NORACE
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;
    while (__irkiss_nondet_bool()) {
        if (__irkiss_nondet_bool())
            pthread_create(&thread, NULL, change, NULL);
        else
            pthread_create(&thread, NULL, check, NULL);
    }
    return 0;
}

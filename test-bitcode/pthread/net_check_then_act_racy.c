// irkiss: ; expect: race
//
// Table 1 and figure 5 of "Model Checking Race-Freeness", CheckThenAct: the check is made without the lock.
#include <pthread.h>
#include <stddef.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int data, this_way, that_way;

static void *change(void *argument)
{
    pthread_mutex_lock(&lock);
    data++; // RACE
    pthread_mutex_unlock(&lock);
    return argument;
}

static void *check(void *argument)
{
    if (data > 0) { // RACE
        pthread_mutex_lock(&lock);
        this_way++; // NORACE
        pthread_mutex_unlock(&lock);
    } else {
        pthread_mutex_lock(&lock);
        that_way++; // NORACE
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, change, NULL);
    pthread_create(&thread, NULL, check, NULL);
    return 0;
}

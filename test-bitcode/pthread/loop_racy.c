// irkiss: ; expect: race
//
// Only the first round of a loop takes the lock.
#include <pthread.h>
#include <stddef.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int sum;

static void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    sum = 5; // RACE
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    for (int n = 0; n < 2; n++) {
        if (n == 0)
            pthread_mutex_lock(&lock);
        sum += n; // RACE
        if (n == 0)
            pthread_mutex_unlock(&lock);
    }
    pthread_join(thread, NULL);
    return 0;
}

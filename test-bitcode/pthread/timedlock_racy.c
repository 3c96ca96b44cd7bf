// irkiss: ; expect: race
//
// The time-out of a timed lock is ignored.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <time.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct timespec deadline;
int value;

static void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    value = 1; // RACE
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_timedlock(&lock, &deadline);
    value = 2; // RACE
    pthread_join(thread, NULL);
    return 0;
}

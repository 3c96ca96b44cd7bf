// irkiss: ; expect: race
//
// The result of trylock is ignored.
#include <pthread.h>
#include <stddef.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
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
    pthread_mutex_trylock(&lock);
    value = 2; // RACE
    pthread_join(thread, NULL);
    return 0;
}

// irkiss: ; expect: none
//
// The result of trylock is obeyed.
#include <pthread.h>
#include <stddef.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int value;

static void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    value = 1; // NORACE
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    if (pthread_mutex_trylock(&lock) == 0) {
        value = 2; // NORACE
        pthread_mutex_unlock(&lock);
    }
    pthread_join(thread, NULL);
    return 0;
}

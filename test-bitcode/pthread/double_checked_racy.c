// irkiss: ; expect: race
//
// Double-checked initialisation with a plain flag.
#include <pthread.h>
#include <stddef.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int initialised;
int value;

static int get(void)
{
    if (!initialised) { // RACE
        pthread_mutex_lock(&lock);
        if (!initialised) {
            value = 42; // NORACE
            initialised = 1; // RACE
        }
        pthread_mutex_unlock(&lock);
    }
    return value; // NORACE
}

static void *worker(void *argument)
{
    get();
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    get();
    pthread_join(thread, NULL);
    return 0;
}

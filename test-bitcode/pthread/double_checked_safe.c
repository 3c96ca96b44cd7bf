// irkiss: ; expect: none
// irkiss: --tier coverability --property race ; expect: none; by: coverability
//
// Double-checked initialisation with an atomic flag.
#include <pthread.h>
#include <stddef.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
_Atomic int initialised;
int value;

static int get(void)
{
    if (!initialised) { // NORACE
        pthread_mutex_lock(&lock);
        if (!initialised) {
            value = 42; // NORACE
            initialised = 1; // NORACE
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

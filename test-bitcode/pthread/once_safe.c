// irkiss: ; expect: none
// irkiss: --tier coverability --property race ; expect: none; by: coverability
//
// Initialisation by pthread_once, from two threads.
#include <pthread.h>
#include <stddef.h>

int value;
pthread_once_t once = PTHREAD_ONCE_INIT;

static void initialise(void)
{
    value = 42; // NORACE
}

static int get(void)
{
    pthread_once(&once, initialise);
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

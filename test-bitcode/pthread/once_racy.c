// irkiss: ; expect: race
//
// Initialisation by a plain flag, from two threads.
#include <pthread.h>
#include <stddef.h>

int value;
int initialised;

static void initialise(void)
{
    value = 42; // RACE
    initialised = 1; // RACE
}

static int get(void)
{
    if (!initialised) // RACE?
        initialise();
    return value; // RACE?
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

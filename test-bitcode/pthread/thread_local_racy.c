// irkiss: ; expect: race
//
// A static counter, one function in two threads.
#include <pthread.h>
#include <stddef.h>

int counter;

static void count(void)
{
    counter++; // RACE
}

static void *worker(void *argument)
{
    count();
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    count();
    pthread_join(thread, NULL);
    return 0;
}

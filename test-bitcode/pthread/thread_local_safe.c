// irkiss: ; expect: none
//
// A thread-local counter, one function in two threads.
#include <pthread.h>
#include <stddef.h>

_Thread_local int counter;

static void count(void)
{
    counter++; // NORACE
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

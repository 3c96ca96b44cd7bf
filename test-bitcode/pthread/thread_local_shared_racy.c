// irkiss: ; expect: race
//
// A thread-local object is given away by its address.
#include <pthread.h>
#include <stddef.h>

_Thread_local int cell;

static void *worker(void *argument)
{
    *(int *)argument = 1; // RACE
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, &cell);
    cell = 2; // RACE
    pthread_join(thread, NULL);
    return 0;
}

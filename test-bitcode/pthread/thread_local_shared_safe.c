// irkiss: ; expect: none
//
// A thread-local object stays with its thread; its value is given away.
#include <pthread.h>
#include <stddef.h>

_Thread_local int cell;

static void *worker(void *argument)
{
    cell = (int)(long)argument; // NORACE
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, (void *)(long)cell);
    cell = 2; // NORACE
    pthread_join(thread, NULL);
    return 0;
}

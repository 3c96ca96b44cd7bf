// irkiss: ; expect: race
//
// A thread ends by pthread_exit in a callee; nobody waits for it.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

int value;

static void finish(void)
{
    value = 7; // RACE
    pthread_exit((void *)42);
}

static void *worker(void *argument)
{
    finish();
    value = 8; // NORACE
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    assert(value != 8); // RACE
    return 0;
}

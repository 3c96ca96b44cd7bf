// irkiss: ; expect: none
// irkiss: --tier coverability --property race ; expect: none; by: coverability
//
// A thread ends by pthread_exit in a callee; join waits for it and gets its result.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

int value;

static void finish(void)
{
    value = 7; // NORACE
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
    void *result = NULL;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, &result);
    assert(result == (void *)42);
    assert(value == 7); // NORACE
    return 0;
}

// irkiss: --ts 0 ; expect: none
// irkiss: --ts 1 ; expect: none
// irkiss: --tier coverability --property race ; expect: none; by: coverability
//
// The access comes after the join.
#include <pthread.h>
#include <stddef.h>

int value;

static void *worker(void *argument)
{
    value = 1; // NORACE
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    value++; // NORACE
    return 0;
}

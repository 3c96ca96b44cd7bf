// irkiss: --ts 0 ; expect: race
// irkiss: --ts 1 ; expect: race
//
// The access comes before the join.
#include <pthread.h>
#include <stddef.h>

int value;

static void *worker(void *argument)
{
    value = 1; // RACE
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    value++; // RACE
    pthread_join(thread, NULL);
    return 0;
}

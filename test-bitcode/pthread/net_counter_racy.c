// irkiss: ; expect: race
//
// Table 1 of "Model Checking Race-Freeness", Counter: threads count without a lock.
#include <pthread.h>
#include <stddef.h>

int counter;

static void *count(void *argument)
{
    counter++; // RACE
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    pthread_create(&thread, NULL, count, NULL);
    return 0;
}

// irkiss: --ts 1 ; expect: none
// irkiss: --ts 2 ; expect: none
// irkiss: --tier coverability --property race ; expect: none; by: coverability
//
// Two threads; main joins the right one before it reads.
#include <pthread.h>
#include <stddef.h>

int value;

static void *idle(void *argument)
{
    return argument;
}

static void *worker(void *argument)
{
    value = 1; // NORACE
    return argument;
}

int main(void)
{
    pthread_t thread, other;
    int seen;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_create(&other, NULL, idle, NULL);
    pthread_join(thread, NULL);
    seen = value; // NORACE
    pthread_join(other, NULL);
    return seen;
}

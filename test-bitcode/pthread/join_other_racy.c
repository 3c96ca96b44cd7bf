// irkiss: --ts 1 ; expect: race
// irkiss: --ts 2 ; expect: race
//
// Two threads; main joins the wrong one before it reads.
#include <pthread.h>
#include <stddef.h>

int value;

static void *idle(void *argument)
{
    return argument;
}

static void *worker(void *argument)
{
    value = 1; // RACE
    return argument;
}

int main(void)
{
    pthread_t thread, other;
    int seen;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_create(&other, NULL, idle, NULL);
    pthread_join(other, NULL);
    seen = value; // RACE
    pthread_join(thread, NULL);
    return seen;
}

// irkiss: ; expect: race
//
// The read comes before the barrier.
#include <pthread.h>
#include <stddef.h>

pthread_barrier_t barrier;
int value;

static void *worker(void *argument)
{
    value = 1; // RACE
    pthread_barrier_wait(&barrier);
    return argument;
}

int main(void)
{
    pthread_t thread;
    int seen;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, worker, NULL);
    seen = value; // RACE
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    return seen;
}

// irkiss: ; expect: none
//
// The read comes after the barrier.
#include <pthread.h>
#include <stddef.h>

pthread_barrier_t barrier;
int value;

static void *worker(void *argument)
{
    value = 1; // NORACE
    pthread_barrier_wait(&barrier);
    return argument;
}

int main(void)
{
    pthread_t thread;
    int seen;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_barrier_wait(&barrier);
    seen = value; // NORACE
    pthread_join(thread, NULL);
    return seen;
}

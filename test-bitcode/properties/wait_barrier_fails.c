// irkiss: --property deadlock ; expect: finds
//
// A barrier for three that two come to.
#include <pthread.h>

static pthread_barrier_t start;

static void *runs(void *unused)
{
    pthread_barrier_wait(&start); // FINDS:deadlock
    return unused;
}

int main(void)
{
    pthread_t a;

    pthread_barrier_init(&start, 0, 3);
    pthread_create(&a, 0, runs, 0);
    pthread_barrier_wait(&start); // FINDS:deadlock
    pthread_join(a, 0);
    return 0;
}

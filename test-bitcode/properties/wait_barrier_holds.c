// irkiss: --property deadlock --work 400k ; expect: none
//
// A barrier for two that two come to.
#include <pthread.h>

static pthread_barrier_t start;

static void *runs(void *unused)
{
    pthread_barrier_wait(&start);
    return unused;
}

int main(void)
{
    pthread_t a;

    pthread_barrier_init(&start, 0, 2);
    pthread_create(&a, 0, runs, 0);
    pthread_barrier_wait(&start);
    pthread_join(a, 0);
    return 0;
}

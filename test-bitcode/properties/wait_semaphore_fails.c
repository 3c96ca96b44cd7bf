// irkiss: --property deadlock ; expect: finds
//
// The permit is given on one way only, which is never taken.
#include <pthread.h>
#include <semaphore.h>

static sem_t full;
static int items;

static void *takes(void *unused)
{
    sem_wait(&full); // FINDS:deadlock
    return unused;
}

static void *puts_one(void *unused)
{
    if (items)
        sem_post(&full);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    sem_init(&full, 0, 0);
    pthread_create(&a, 0, takes, 0);
    pthread_create(&b, 0, puts_one, 0);
    pthread_join(a, 0); // FINDS:deadlock
    pthread_join(b, 0);
    return 0;
}

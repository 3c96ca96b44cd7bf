// irkiss: --property deadlock ; expect: none
//
// Who waits for a permit holds no lock there; cancelled, it goes.
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t never;

static void *waits(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    sem_wait(&never);
    return unused;
}

int main(void)
{
    pthread_t a;

    sem_init(&never, 0, 0);
    pthread_create(&a, 0, waits, 0);
    pthread_cancel(a);
    pthread_join(a, 0);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

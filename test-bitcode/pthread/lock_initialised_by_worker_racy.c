// irkiss: ; expect: race
//
// Each thread initialises the lock that both use before it takes it: who comes second takes it away from who has it.
#include <pthread.h>

static pthread_mutex_t lock;
static int count;

static void *worker(void *unused)
{
    pthread_mutex_init(&lock, NULL);
    pthread_mutex_lock(&lock);
    count++; // RACE
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, worker, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}

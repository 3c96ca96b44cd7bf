// irkiss: ; expect: none; by: lockset
// irkiss: --tier lockset ; expect: none; by: lockset
//
// Threads started in a loop, a mutex that is waited for and tried, a spinlock initialised at run time.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
int tried, spun;

static void *worker(void *argument)
{
    if (pthread_mutex_trylock(&lock) == 0) {
        tried++; // NORACE
        pthread_mutex_unlock(&lock);
    }
    pthread_spin_lock(&spin);
    spun++; // NORACE
    pthread_spin_unlock(&spin);
    return argument;
}

int main(void)
{
    pthread_t thread[2];
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    for (int n = 0; n < 2; n++)
        pthread_create(&thread[n], NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    tried = 0; // NORACE
    pthread_mutex_unlock(&lock);
    return 0;
}

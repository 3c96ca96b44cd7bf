// irkiss: ; expect: race
//
// The twin of lockset_threads_in_loop_safe.c: the mutex could not be had, and the spinlock is another one.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
int tried;

static void *worker(void *argument)
{
    if (pthread_mutex_trylock(&lock) != 0) {
        pthread_spin_lock(&spin);
        tried++; // RACE
        pthread_spin_unlock(&spin);
        return argument;
    }
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread[2];
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    for (int n = 0; n < 2; n++)
        pthread_create(&thread[n], NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    tried = 0; // RACE
    pthread_mutex_unlock(&lock);
    return 0;
}

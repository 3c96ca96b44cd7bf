// irkiss: ; expect: race
// irkiss: --contexts 2 ; expect: race
//
// Who waits for a condition gives the lock back meanwhile: without that nobody could set it, and what comes after the wait would not be.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t set = PTHREAD_COND_INITIALIZER;
static int ready, count;

static void *waiter(void *unused)
{
    pthread_mutex_lock(&lock);
    if (!ready) {
        pthread_cond_wait(&set, &lock);
        if (ready)
            count++; // RACE
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, waiter, NULL);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&set);
    pthread_mutex_unlock(&lock);
    count++; // RACE
    pthread_join(thread, NULL);
    return 0;
}

// irkiss: --property deadlock ; expect: finds
//
// Main waits for a thread, holding the lock that the thread needs to end.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *runs(void *unused)
{
    pthread_mutex_lock(&lock); // FINDS:deadlock
    done++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, runs, 0);
    pthread_mutex_lock(&lock);
    done++;
    pthread_join(a, 0); // FINDS:deadlock
    pthread_mutex_unlock(&lock);
    return 0;
}

// irkiss: --property deadlock ; expect: none
//
// Main gives the lock back before it waits for the thread.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *runs(void *unused)
{
    pthread_mutex_lock(&lock);
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
    pthread_mutex_unlock(&lock);
    pthread_join(a, 0);
    return 0;
}

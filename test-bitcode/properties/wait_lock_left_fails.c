// irkiss: --property deadlock ; expect: finds
//
// A thread ends with a lock that main waits for.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *leaves(void *unused)
{
    pthread_mutex_lock(&lock);
    done++;
    if (done < 3)
        return unused;
    return unused;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, leaves, 0);
    pthread_mutex_lock(&lock); // FINDS:deadlock
    done++;
    pthread_mutex_unlock(&lock);
    pthread_join(a, 0);
    return 0;
}

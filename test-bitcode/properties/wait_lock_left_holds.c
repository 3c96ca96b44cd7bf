// irkiss: --property deadlock ; expect: none
//
// A thread gives back the lock that main waits for; main ends while another thread still waits, which ends the process.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done;

static void *waits(void *unused)
{
    pthread_mutex_lock(&lock);
    while (done < 3)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, waits, 0);
    pthread_mutex_lock(&lock);
    done++;
    pthread_mutex_unlock(&lock);
    return 0;
}

// irkiss: ; expect: none
//
// As float_branch_racy.c, with a lock where it holds.
#include <pthread.h>

static double level = 0.5;
static int alarms;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
    if (level * 2.0 > 0.75) {
        pthread_mutex_lock(&lock);
        alarms++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

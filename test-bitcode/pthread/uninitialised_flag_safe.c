// irkiss: ; expect: none
//
// As uninitialised_flag_racy.c, but it is set.
#include <pthread.h>

static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
    int locked = 1;
    if (locked)
        pthread_mutex_lock(&lock);
    count++;
    if (locked)
        pthread_mutex_unlock(&lock);
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

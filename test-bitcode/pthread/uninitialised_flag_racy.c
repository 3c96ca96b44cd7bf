// irkiss: ; expect: race ; forms: nopass
//
// Whether the lock is taken depends on a variable that nobody sets.
#include <pthread.h>

static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
    int locked;
    if (locked)
        pthread_mutex_lock(&lock);
    count++; // RACE
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

// irkiss: --tier lockset ; expect: unknown; reason: no lock that both must hold
//
// What locks leave open is a candidate for the other analyses, and unknown without them.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int guarded, bare;

static void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    guarded++; // NORACE
    pthread_mutex_unlock(&lock);
    bare++; // RACE?
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    guarded++; // NORACE
    pthread_mutex_unlock(&lock);
    bare++; // RACE?
    return 0;
}

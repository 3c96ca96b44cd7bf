// irkiss: ; expect: none
//
// A recursive function, under the lock in one of two threads.
#include <pthread.h>
#include <stddef.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int sum;

static void add(int n)
{
    if (n == 0)
        return;
    sum += n; // NORACE
    add(n - 1);
}

static void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    add(1);
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    add(1);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}

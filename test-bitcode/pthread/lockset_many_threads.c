// irkiss: ; expect: none; by: lockset; lazy: yes
//
// More threads than the models keep records of: what locks prove holds for any number.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int total;

static void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    total++; // NORACE
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;
    for (int n = 0; n < 100; n++)
        pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    total++; // NORACE
    pthread_mutex_unlock(&lock);
    return 0;
}

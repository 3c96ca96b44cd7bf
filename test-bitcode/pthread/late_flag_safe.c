// irkiss: ; expect: none ; by: lockset ; lazy: yes
//
// The accesses after the long loop are under the lock: locks prove them, and runs show that they are reached.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum, over;

static void *work(void *argument)
{
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&lock);
        sum += i;
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    over = 1;
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, work, 0);
    pthread_mutex_lock(&lock);
    int early = over;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    pthread_mutex_lock(&lock);
    early += sum;
    pthread_mutex_unlock(&lock);
    return early;
}

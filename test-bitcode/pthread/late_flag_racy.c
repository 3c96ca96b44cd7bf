// irkiss: ; expect: race ; lazy: yes
//
// The race comes after more rounds of a loop than any search goes through: runs get there.
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
    over = 1; // RACE
    return argument;
}

int main(void)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, work, 0);
    int early = over; // RACE
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return early + sum;
}

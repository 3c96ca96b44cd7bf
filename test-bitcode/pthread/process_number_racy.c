// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// Half of all processes do without the lock: the number of a process is any, and stays the same.
#include <pthread.h>
#include <unistd.h>

static int value;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    int without = getpid() % 2 == 0;
    if (!without)
        pthread_mutex_lock(&lock);
    value++; // RACE
    if (!without)
        pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

// irkiss: ; expect: race
//
// As net_gate_safe.c, but who closes the gate does not wait until nobody is behind it.
#include <pthread.h>
#include <stddef.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int users, closed, data;

static void *use(void *argument)
{
    pthread_mutex_lock(&lock);
    if (closed) {
        pthread_mutex_unlock(&lock);
        return argument;
    }
    users++;
    pthread_mutex_unlock(&lock);
    if (data) // RACE
        argument = NULL;
    pthread_mutex_lock(&lock);
    users--;
    pthread_mutex_unlock(&lock);
    return argument;
}

static void *close_it(void *argument)
{
    pthread_mutex_lock(&lock);
    closed = 1;
    pthread_mutex_unlock(&lock);
    data = 1; // RACE
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, close_it, NULL);
    pthread_create(&thread, NULL, use, NULL);
    return 0;
}

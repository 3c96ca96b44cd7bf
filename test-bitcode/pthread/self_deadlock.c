// irkiss: ; expect: unknown ; reason: vacuous
//
// A normal mutex that one thread locks twice never comes back: what follows is never executed, which is said.
#include <pthread.h>
#include <stddef.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int value;

static void *worker(void *argument)
{
    value = 1; // NORACE
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    value = 2; // NORACE
    return 0;
}

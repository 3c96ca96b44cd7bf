// irkiss: ; expect: none
//
// Spinlocks: one for both.
#include <pthread.h>
#include <stddef.h>

pthread_spinlock_t lock;
int value;

static void *worker(void *argument)
{
    pthread_spin_lock(&lock);
    value++; // NORACE
    pthread_spin_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_spin_lock(&lock);
    value++; // NORACE
    pthread_spin_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}

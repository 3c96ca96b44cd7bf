// irkiss: ; expect: race
//
// Spinlocks: one for each thread.
#include <pthread.h>
#include <stddef.h>

pthread_spinlock_t lock, other;
int value;

static void *worker(void *argument)
{
    pthread_spin_lock(&lock);
    value++; // RACE
    pthread_spin_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_init(&other, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_spin_lock(&other);
    value++; // RACE
    pthread_spin_unlock(&other);
    pthread_join(thread, NULL);
    return 0;
}

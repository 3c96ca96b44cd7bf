// irkiss: ; expect: race
//
// Thread-specific data: both threads set the key to one object.
#include <pthread.h>
#include <stddef.h>

pthread_key_t key;
int cells[2];

static void use(int *cell)
{
    pthread_setspecific(key, cell);
    *(int *)pthread_getspecific(key) += 1; // RACE
}

static void *worker(void *argument)
{
    use(&cells[0]);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_key_create(&key, NULL);
    pthread_create(&thread, NULL, worker, NULL);
    use(&cells[0]);
    pthread_join(thread, NULL);
    return 0;
}

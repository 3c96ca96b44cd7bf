// irkiss: ; expect: none
//
// Thread-specific data: each thread sets the key to an object of its own.
#include <pthread.h>
#include <stddef.h>

pthread_key_t key;
int cells[2];

static void use(int *cell)
{
    pthread_setspecific(key, cell);
    *(int *)pthread_getspecific(key) += 1; // NORACE
}

static void *worker(void *argument)
{
    use(&cells[1]);
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

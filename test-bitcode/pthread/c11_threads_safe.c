// irkiss: ; expect: none
//
// C11 threads: the mutex is given back after the access.
#include <stddef.h>
#include <threads.h>

mtx_t lock;
int value;

static int worker(void *argument)
{
    (void)argument;
    mtx_lock(&lock);
    value++; // NORACE
    mtx_unlock(&lock);
    return 7;
}

int main(void)
{
    thrd_t thread;
    int result;
    mtx_init(&lock, mtx_plain);
    thrd_create(&thread, worker, NULL);
    mtx_lock(&lock);
    value++; // NORACE
    mtx_unlock(&lock);
    thrd_join(thread, &result);
    return result == 7 ? 0 : 1;
}

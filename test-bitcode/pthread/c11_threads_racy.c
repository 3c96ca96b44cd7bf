// irkiss: ; expect: race
//
// C11 threads: the mutex is given back before the access.
#include <stddef.h>
#include <threads.h>

mtx_t lock;
int value;

static int worker(void *argument)
{
    (void)argument;
    mtx_lock(&lock);
    value++; // RACE
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
    mtx_unlock(&lock);
    value++; // RACE
    thrd_join(thread, &result);
    return result == 7 ? 0 : 1;
}

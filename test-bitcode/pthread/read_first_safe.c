// irkiss: ; expect: none
//
// What is written before the flag is read after it.
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int owner;
static int data;
int out;

static void *worker(void *name)
{
    int ready = atomic_load(&owner) == 2;
    out = ready ? data : 0; // NORACE
    return name;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, 0, worker, 0);
    data = 1;
    atomic_store(&owner, 2);
    return 0;
}

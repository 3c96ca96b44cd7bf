// irkiss: ; expect: none
//
// What is read only if the flag is set, which happens after it was written: of this the compiler makes a load before the choice.
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int owner;
static int data, more;
int out, both;

static void *worker(void *name)
{
    out = atomic_load(&owner) == 2 ? data : 0; // NORACE
    both = atomic_load(&owner) == 2 && more == 5; // NORACE
    return name;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, 0, worker, 0);
    data = 1;
    more = 5;
    atomic_store(&owner, 2);
    return 0;
}

// irkiss: ; expect: race
//
// As chosen_safe.c, but what is read is written again after the flag was set.
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int owner;
static int data, more;
int out, both;

static void *worker(void *name)
{
    out = atomic_load(&owner) == 2 ? data : 0; // RACE
    both = atomic_load(&owner) == 2 && more == 5; // RACE
    return name;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, 0, worker, 0);
    data = 1;
    more = 5;
    atomic_store(&owner, 2);
    data = 2; // RACE
    more = 6; // RACE
    return 0;
}

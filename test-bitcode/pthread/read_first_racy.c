// irkiss: ; expect: race
//
// As read_first_safe.c, but what is chosen later is read before the flag: it is read whatever the flag says.
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int owner;
static int data;
int out;

static void *worker(void *name)
{
    int seen = data; // RACE
    out = atomic_load(&owner) == 2 ? seen : 0;
    return name;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, 0, worker, 0);
    data = 1; // RACE
    atomic_store(&owner, 2);
    return 0;
}

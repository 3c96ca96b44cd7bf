// irkiss: --race-check value --tier kiss ; forms: nopass ; expect: race
//
// Writes that others see: of another value than there was, of two values; a counter.
#include <pthread.h>

static int ready, owner, hits;
static void *current, *spare;

static void *worker(void *name)
{
    ready = 1; // RACE
    owner = 1; // RACE
    current = &spare; // RACE
    hits++; // RACE
    return 0;
}

int main(void)
{
    pthread_t thread;
    int seen;

    pthread_create(&thread, 0, worker, 0);
    seen = ready; // RACE
    owner = 2; // RACE
    current = &hits; // RACE
    hits++; // RACE
    return seen;
}

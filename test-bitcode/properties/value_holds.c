// irkiss: --race-check value --tier kiss ; forms: nopass ; expect: none
//
// As value_fails.c, but what is written is there already, or is written by both.
#include <pthread.h>

static int ready = 1, owner, hits;
static float part;
static void *current, *spare;

static void *worker(void *name)
{
    ready = 1;
    owner = 1;
    current = &spare;
    hits = 0;
    part = 0.5f;
    return 0;
}

int main(void)
{
    pthread_t thread;
    int seen;

    pthread_create(&thread, 0, worker, 0);
    seen = ready;
    owner = 1;
    current = &spare;
    part = 0.5f;
    seen += hits;
    return seen;
}

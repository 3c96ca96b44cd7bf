// irkiss: --tier contexts --contexts 1 ; expect: unknown ; reason: vacuous
// irkiss: --tier contexts --contexts 1 --track auto ; expect: unknown ; reason: vacuous
// irkiss: --tier contexts --contexts 1 --track none ; expect: unknown ; reason: vacuous
//
// In one round nobody gets to the shared number: whatever is followed, nothing was checked.
#include <pthread.h>

static int shared;
static _Atomic int go;

static void *waiting(void *name)
{
    while (!go)
        ;
    shared = 1;
    return name;
}

static void *going(void *name)
{
    go = 1;
    return name;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, 0, waiting, 0);
    pthread_create(&second, 0, going, 0);
    pthread_join(first, 0);
    return shared;
}

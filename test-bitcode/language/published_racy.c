// irkiss: ; expect: race
//
// An object is changed after its address is published.
#include <irkiss.h>
#include <stdlib.h>

int *_Atomic shared;

static void worker(void *argument)
{
    int *p = shared;
    (void)argument;
    if (p)
        *p += 1; // RACE
}

int main(void)
{
    int *p = malloc(sizeof *p);
    irkiss_async(worker, 0);
    *p = 0;
    shared = p;
    *p = 2; // RACE
    return 0;
}

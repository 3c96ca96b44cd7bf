// irkiss: ; expect: none
// irkiss: --tier coverability --property race ; expect: none; by: coverability
//
// An object is changed before its address is published.
#include <irkiss.h>

static int object;
int *_Atomic shared;

static void worker(void *argument)
{
    int *p = shared;
    (void)argument;
    if (p)
        *p += 1; // NORACE
}

int main(void)
{
    int *p = &object;
    irkiss_async(worker, 0);
    *p = 2; // NORACE
    shared = p;
    return 0;
}

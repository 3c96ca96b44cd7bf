// irkiss: ; expect: none
// irkiss: --tier coverability --property race ; expect: none; by: coverability
//
// Data are handed over by an atomic flag that is raised after they are there.
#include <irkiss.h>

int data;
_Atomic int ready;

static void worker(void *argument)
{
    (void)argument;
    data = 42; // NORACE
    ready = 1;
}

int main(void)
{
    irkiss_async(worker, 0);
    if (ready)
        irkiss_assert(data == 42); // NORACE
    return 0;
}

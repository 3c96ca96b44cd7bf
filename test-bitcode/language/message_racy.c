// irkiss: ; expect: race
//
// Data are handed over by an atomic flag that is raised before they are there.
#include <irkiss.h>

int data;
_Atomic int ready;

static void worker(void *argument)
{
    (void)argument;
    ready = 1;
    data = 42; // RACE
}

int main(void)
{
    irkiss_async(worker, 0);
    if (ready)
        irkiss_assert(data <= 42); // RACE
    return 0;
}

// irkiss: ; expect: race
// irkiss: --marked kcsan ; expect: none
// irkiss: --marked c11 ; expect: race
// irkiss: --tier coverability --property race --marked kcsan ; expect: none; by: coverability
//
// A volatile flag is a marked access for the kernel and an unmarked one for C11.
#include <irkiss.h>

int data;
volatile int ready;

static void worker(void *argument)
{
    (void)argument;
    data = 42; // NORACE
    ready = 1; // RACE
}

int main(void)
{
    irkiss_async(worker, 0);
    if (ready) // RACE
        irkiss_assert(data == 42); // NORACE
    return 0;
}

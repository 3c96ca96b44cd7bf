// irkiss: ; expect: race
//
// A lock made of a test and then a set.
#include <irkiss.h>
#include <stdatomic.h>

_Atomic int taken;
int value;

static void lock(void)
{
    irkiss_assume(taken == 0);
    taken = 1;
}

static void worker(void *argument)
{
    (void)argument;
    lock();
    value++; // RACE
    taken = 0;
}

int main(void)
{
    irkiss_async(worker, 0);
    lock();
    value++; // RACE
    taken = 0;
    return 0;
}

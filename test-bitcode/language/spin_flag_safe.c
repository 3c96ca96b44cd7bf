// irkiss: ; expect: none
// irkiss: --tier coverability --property race ; expect: none; by: coverability
//
// A lock made of an exchange.
#include <irkiss.h>
#include <stdatomic.h>

_Atomic int taken;
int value;

static void lock(void)
{
    int expected = 0;
    irkiss_assume(atomic_compare_exchange_strong(&taken, &expected, 1));
}

static void worker(void *argument)
{
    (void)argument;
    lock();
    value++; // NORACE
    taken = 0;
}

int main(void)
{
    irkiss_async(worker, 0);
    lock();
    value++; // NORACE
    taken = 0;
    return 0;
}

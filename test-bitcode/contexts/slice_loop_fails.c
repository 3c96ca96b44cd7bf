// irkiss: --tier contexts --contexts 2 --track auto --unwind 2 ; expect: race
//
// The race is behind a loop that goes round more often than it is followed, and touches nothing that matters.
#include <irkiss.h>

_Atomic int ready;
int sums[4];
int data, result;

static void reader(void *argument)
{
    unsigned n = 4u * __irkiss_nondet_bool() + 2u * __irkiss_nondet_bool() + __irkiss_nondet_bool();
    (void)argument;

    if (n < 6)
        return;
    for (unsigned i = 0; i < n; i++)
        sums[i % 4] += (int)i;
    if (ready)
        result = data; // RACE
}

int main(void)
{
    irkiss_async(reader, 0);
    ready = 1;
    data = 42; // RACE
    return 0;
}

// irkiss: ; expect: race
//
// Arbitrary indices may be equal.
#include <irkiss.h>

int cells[4];

static void worker(void *argument)
{
    (void)argument;
    unsigned n = __irkiss_nondet_u32() & 3;
    cells[n] = 1; // RACE
}

int main(void)
{
    unsigned n = __irkiss_nondet_u32() & 3;
    irkiss_async(worker, 0);
    cells[n] = 2; // RACE
    return 0;
}

// irkiss: ; expect: none
//
// Arbitrary indices are even in one thread and odd in the other.
#include <irkiss.h>

int cells[4];

static void worker(void *argument)
{
    (void)argument;
    unsigned n = __irkiss_nondet_u32() & 2;
    cells[n] = 1; // NORACE
}

int main(void)
{
    unsigned n = (__irkiss_nondet_u32() & 2) | 1;
    irkiss_async(worker, 0);
    cells[n] = 2; // NORACE
    return 0;
}

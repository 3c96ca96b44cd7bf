// irkiss: ; expect: unknown ; reason: outside of its object ; lazy: yes
//
// A block of as many bytes as an input says: who accesses what lies beyond does not get further.
#include <irkiss.h>
#include <stdlib.h>

int x;

static void worker(void *argument)
{
    (void)argument;
    x = 1;
}

int main(void)
{
    unsigned n = __irkiss_nondet_u32();
    volatile char *block = malloc(n);

    if (!block || !n)
        return 0;
    irkiss_async(worker, 0);
    block[1] = 1;
    if (n == 1)
        x = 2;
    return 0;
}

// irkiss: ; expect: unknown ; reason: outside of its object
//
// A copy of as many bytes as an input says: who copies more than there are does not get beyond it.
#include <irkiss.h>
#include <string.h>

char from[1], to[8];
int x;

static void worker(void *argument)
{
    (void)argument;
    x = 1;
}

int main(void)
{
    unsigned n = __irkiss_nondet_u32();

    irkiss_async(worker, 0);
    memcpy(to, from, n);
    if (n > 1)
        x = 2;
    return 0;
}

// irkiss: --ts 0 ; expect: none
// irkiss: --ts 1 ; expect: none
//
// The twin of assume_false_fails.c: what stands after the assumption never happens.
#include <irkiss.h>

_Atomic int x;

static void worker(void *argument)
{
    (void)argument;
    __irkiss_assume(x == 2);
    x = 1;
}

int main(void)
{
    irkiss_async(worker, 0);
    irkiss_assert(x == 0);
    return 0;
}

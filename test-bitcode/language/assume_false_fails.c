// irkiss: --ts 0 ; expect: assert
// irkiss: --ts 1 ; expect: assert
//
// DESIGN 9.2: a thread that will wait for ever has still done what it did before.
#include <irkiss.h>

_Atomic int x;

static void worker(void *argument)
{
    (void)argument;
    x = 1;
    __irkiss_assume(0);
}

int main(void)
{
    irkiss_async(worker, 0);
    irkiss_assert(x == 0); // ASSERT-FAILS
    return 0;
}

// irkiss: --ts 0 ; expect: assert
// irkiss: --ts 1 ; expect: assert
//
// DESIGN 9.2: a thread may stay in a loop for ever; what it did before is seen.
#include <irkiss.h>

_Atomic int x;
volatile int idle;

static void worker(void *argument)
{
    (void)argument;
    x = 1;
    for (;;)
        (void)idle;
}

int main(void)
{
    irkiss_async(worker, 0);
    irkiss_assert(x == 0); // ASSERT-FAILS
    return 0;
}

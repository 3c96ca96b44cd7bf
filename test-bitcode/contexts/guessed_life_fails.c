// irkiss: --tier contexts --contexts 2 --marked kcsan ; expect: assert
// irkiss: --tier contexts --contexts 2 --rounds eager --marked kcsan ; expect: assert
//
// What is handed on lives: the worker gets past its read. In its twin it is freed before.
#include <irkiss.h>
#include <stdlib.h>

int *_Atomic handed;
_Atomic int got;

static void worker(void *argument)
{
    (void)argument;
    got = *(volatile int *)handed + 1;
}

int main(void)
{
    int *number = calloc(1, sizeof *number);
    if (!number)
        return 1;
    handed = number;
    irkiss_async(worker, 0);
    *(volatile int *)number = 1;
    irkiss_assert(got != 2); // ASSERT-FAILS
    return 0;
}

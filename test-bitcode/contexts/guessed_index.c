// irkiss: --tier contexts --contexts 2 ; expect: assert ; lazy: yes
// irkiss: --tier contexts --contexts 2 --rounds eager ; expect: unknown ; reason: a pointer with an index ; lazy: yes
//
// What is handed on points into an array, nobody knows where: no address that a guess of it could be is known before.
#include <irkiss.h>

_Atomic int numbers[64];
_Atomic int *_Atomic handed;

static void worker(void *argument)
{
    (void)argument;
    handed = &numbers[__irkiss_nondet_u32() % 64];
}

int main(void)
{
    irkiss_async(worker, 0);
    _Atomic int *number = handed;
    if (number)
        *number = 1;
    irkiss_assert(numbers[0] == 0); // ASSERT-FAILS@1
    return 0;
}

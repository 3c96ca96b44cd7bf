// irkiss: --tier contexts --contexts 1 ; expect: none
// irkiss: --tier contexts --contexts 2 ; expect: assert
// irkiss: --tier contexts --contexts 2 --rounds eager ; expect: assert
//
// Three threads; the first worker has ended when its second turn comes.
#include <irkiss.h>

_Atomic int first, second, third;

static void one(void *argument)
{
    (void)argument;
    first = 1;
}

static void two(void *argument)
{
    (void)argument;
    if (first)
        second = 1;
    irkiss_assert(!third); // ASSERT-FAILS
}

int main(void)
{
    irkiss_async(one, 0);
    irkiss_async(two, 0);
    if (second)
        third = 1;
    return 0;
}

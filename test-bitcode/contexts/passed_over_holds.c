// irkiss: --tier contexts --contexts 2 ; expect: none
// irkiss: --tier contexts --contexts 3 ; expect: none
// irkiss: --tier contexts --contexts 2 --rounds eager ; expect: none
//
// What the last flag takes is never there.
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
    irkiss_assert(!third);
}

int main(void)
{
    irkiss_async(one, 0);
    irkiss_async(two, 0);
    if (second == 2)
        third = 1;
    return 0;
}

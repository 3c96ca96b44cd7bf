// irkiss: --tier contexts --contexts 1 ; expect: none
// irkiss: --tier contexts --contexts 2 ; expect: assert
// irkiss: --tier contexts --contexts 1 --rounds eager ; expect: none
// irkiss: --tier contexts --contexts 2 --rounds eager ; expect: assert
//
// A thread starts a thread before main starts its second one: they are numbered in that order, and take turns in it.
#include <irkiss.h>

_Atomic int started, inner, last;

static void innermost(void *argument)
{
    (void)argument;
    inner = 1;
}

static void outer(void *argument)
{
    (void)argument;
    irkiss_async(innermost, 0);
    started = 1;
}

static void second(void *argument)
{
    (void)argument;
    last = inner;
    irkiss_assert(!last); // ASSERT-FAILS
}

int main(void)
{
    irkiss_async(outer, 0);
    irkiss_assume(started);
    irkiss_async(second, 0);
    return 0;
}

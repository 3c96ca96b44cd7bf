// irkiss: --tier contexts --contexts 1 ; expect: none
// irkiss: --tier contexts --contexts 2 ; expect: none
// irkiss: --tier contexts --contexts 1 --rounds eager ; expect: none
// irkiss: --tier contexts --contexts 2 --rounds eager ; expect: none
//
// The same, and the inner thread leaves what is there.
#include <irkiss.h>

_Atomic int started, inner, last;

static void innermost(void *argument)
{
    (void)argument;
    inner = 0;
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
    irkiss_assert(!last);
}

int main(void)
{
    irkiss_async(outer, 0);
    irkiss_assume(started);
    irkiss_async(second, 0);
    return 0;
}

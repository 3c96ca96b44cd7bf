// irkiss: ; expect: none
// irkiss: --tier coverability --property race ; expect: none; by: coverability
//
// DESIGN 9.3: a section that waits can be entered only after the plain write.
#include <irkiss.h>

int x;
_Atomic int flag;

static void worker(void *argument)
{
    (void)argument;
    __irkiss_atomic_begin();
    __irkiss_assume(flag);
    x = x + 1; // NORACE
    __irkiss_atomic_end();
}

int main(void)
{
    irkiss_async(worker, 0);
    x = 5; // NORACE
    flag = 1;
    return 0;
}

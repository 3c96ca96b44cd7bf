// irkiss: ; expect: race
//
// DESIGN 9.3: a section that waits can be entered while the plain write is still to come.
#include <irkiss.h>

int x;
_Atomic int flag;

static void worker(void *argument)
{
    (void)argument;
    __irkiss_atomic_begin();
    __irkiss_assume(flag);
    x = x + 1; // RACE
    __irkiss_atomic_end();
}

int main(void)
{
    irkiss_async(worker, 0);
    flag = 1;
    x = 5; // RACE
    return 0;
}

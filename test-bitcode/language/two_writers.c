// irkiss: --ts 0 ; expect: race
// irkiss: --ts 1 ; expect: race
// irkiss: --ts 2 ; expect: race
//
// The race is between two started threads; main does not touch the cell.
#include <irkiss.h>

int x;
_Atomic int done;

static void worker(void *argument)
{
    (void)argument;
    x = 1; // RACE
    done = 1;
}

int main(void)
{
    irkiss_async(worker, 0);
    irkiss_async(worker, 0);
    irkiss_assert(done <= 1);
    return 0;
}

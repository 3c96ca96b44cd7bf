// irkiss: ; expect: race
//
// DESIGN 9.3: an atomic section against a plain access.
#include <irkiss.h>

int x;

static void worker(void *argument)
{
    (void)argument;
    irkiss_atomic(x = x + 1); // RACE
}

int main(void)
{
    irkiss_async(worker, 0);
    x = 5; // RACE
    return 0;
}

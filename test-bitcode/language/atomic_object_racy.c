// irkiss: ; expect: race
//
// A C11 atomic object against a plain access to its bytes.
#include <irkiss.h>
#include <stdatomic.h>

_Atomic int x;

static void worker(void *argument)
{
    (void)argument;
    atomic_fetch_add(&x, 1); // RACE
}

int main(void)
{
    irkiss_async(worker, 0);
    *(int *)&x = 5; // RACE
    return 0;
}

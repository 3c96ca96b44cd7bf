// irkiss: ; expect: none
//
// A C11 atomic object against atomic accesses.
#include <irkiss.h>
#include <stdatomic.h>

_Atomic int x;

static void worker(void *argument)
{
    (void)argument;
    atomic_fetch_add(&x, 1); // NORACE
}

int main(void)
{
    irkiss_async(worker, 0);
    atomic_store(&x, 5); // NORACE
    return 0;
}

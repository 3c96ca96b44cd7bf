// irkiss: ; expect: none
//
// DESIGN 9.3: an atomic section against a second atomic section.
#include <irkiss.h>

int x;

static void worker(void *argument)
{
    (void)argument;
    irkiss_atomic(x = x + 1); // NORACE
}

int main(void)
{
    irkiss_async(worker, 0);
    irkiss_atomic(x = 5); // NORACE
    return 0;
}

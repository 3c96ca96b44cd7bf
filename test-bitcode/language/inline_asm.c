// irkiss: ; expect: unknown ; reason: asm
//
// Inline assembly of an unknown form: never a guess.
#include <irkiss.h>

int x;

static void worker(void *argument)
{
    (void)argument;
    irkiss_atomic(x = 1);
    __asm__ volatile("frobnicate %0" : "+m"(x));
}

int main(void)
{
    irkiss_async(worker, 0);
    irkiss_atomic(x = 2);
    return 0;
}

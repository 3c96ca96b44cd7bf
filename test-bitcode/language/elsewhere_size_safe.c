// irkiss: ; expect: unknown ; reason: outside of its object
//
// What is defined elsewhere is as long as its type says.
#include <irkiss.h>

extern char outside[4];
int x;

static void worker(void *argument)
{
    (void)argument;
    x = 1;
}

int main(void)
{
    unsigned index = __irkiss_nondet_u32();

    irkiss_async(worker, 0);
    outside[index] = 1;
    if (index > 3)
        x = 2;
    return 0;
}

// irkiss: ; expect: none ; externals: measure
//
// A function without a model returns anything and touches nothing of ours; the report names it.
#include <irkiss.h>

extern int measure(void);

_Atomic int last;

static void worker(void *argument)
{
    (void)argument;
    last = measure();
}

int main(void)
{
    irkiss_async(worker, 0);
    last = measure();
    return 0;
}

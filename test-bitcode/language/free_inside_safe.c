// irkiss: ; expect: unknown ; reason: outside of its object ; lazy: yes
//
// Only a whole block can be freed: who frees from within it does not get further.
#include <irkiss.h>
#include <stdlib.h>

char *volatile block;
int x;

static void worker(void *argument)
{
    (void)argument;
    x = 1;
}

int main(void)
{
    block = malloc(8);
    unsigned index = __irkiss_nondet_u32();

    if (!block)
        return 0;
    irkiss_async(worker, 0);
    free(block + index);
    if (index != 0)
        x = 2;
    return 0;
}

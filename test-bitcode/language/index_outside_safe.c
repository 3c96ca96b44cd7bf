// irkiss: ; expect: unknown ; reason: outside of its object ; forms: nopass
//
// Two threads access what lies beyond an array: neither gets there, and it is no place.
#include <irkiss.h>

int numbers[2];
unsigned at;

static void worker(void *argument)
{
    (void)argument;
    if (at > 1)
        numbers[at] = 1;
}

int main(void)
{
    at = __irkiss_nondet_u32();
    irkiss_async(worker, 0);
    if (at > 1)
        numbers[at] = 2;
    return 0;
}

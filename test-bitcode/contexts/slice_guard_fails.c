// irkiss: --tier contexts --contexts 2 --track off ; expect: race
// irkiss: --tier contexts --contexts 2 --track auto ; expect: race
// irkiss: --tier contexts --contexts 2 --track ready ; expect: race
// irkiss: --tier contexts --contexts 2 --rounds eager ; expect: race
//
// The twin of slice_guard_holds: it is said too early that the data is there.
#include <irkiss.h>

_Atomic int ready, seen;
int data, result;

static void reader(void *argument)
{
    (void)argument;
    seen++;
    if (ready)
        result = data; // RACE
}

int main(void)
{
    irkiss_async(reader, 0);
    ready = 1;
    data = 42; // RACE
    seen++;
    return 0;
}

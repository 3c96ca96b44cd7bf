// irkiss: --tier contexts --contexts 2 --track off ; expect: none
// irkiss: --tier contexts --contexts 2 --track auto ; expect: none
// irkiss: --tier contexts --contexts 2 --track ready ; expect: none
// irkiss: --tier contexts --contexts 2 --rounds eager ; expect: none
//
// Whether the data is there is to be tracked for nobody to be told of a race; how often it was looked for is not.
#include <irkiss.h>

_Atomic int ready, seen;
int data, result;

static void reader(void *argument)
{
    (void)argument;
    seen++;
    if (ready)
        result = data;
}

int main(void)
{
    irkiss_async(reader, 0);
    data = 42;
    ready = 1;
    seen++;
    return 0;
}

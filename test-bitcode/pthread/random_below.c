// irkiss: --property assert ; expect: none ; forms: nopass
//
// A random number below a bound is below it.
#include <assert.h>
#include <stdlib.h>

extern unsigned int arc4random_uniform(unsigned int bound);

int main(void)
{
    assert(arc4random_uniform(5) < 5);
    return 0;
}

// irkiss: ; expect: race
//
// Neighbours: bit-fields share a byte.
#include <irkiss.h>

struct {
    unsigned a : 4;
    unsigned b : 4;
} flags;

static void worker(void *argument)
{
    (void)argument;
    flags.a = 1; // RACE
}

int main(void)
{
    irkiss_async(worker, 0);
    flags.b = 2; // RACE
    return 0;
}

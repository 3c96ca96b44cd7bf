// irkiss: ; expect: none
//
// Neighbours: members have bytes of their own.
#include <irkiss.h>

struct {
    unsigned char a;
    unsigned char b;
} flags;

static void worker(void *argument)
{
    (void)argument;
    flags.a = 1; // NORACE
}

int main(void)
{
    irkiss_async(worker, 0);
    flags.b = 2; // NORACE
    return 0;
}

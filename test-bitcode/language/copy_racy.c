// irkiss: ; expect: race
//
// A block copy overlaps the byte that the other thread writes.
#include <irkiss.h>
#include <string.h>

unsigned char buffer[16], source[16];

static void worker(void *argument)
{
    (void)argument;
    memcpy(buffer, source, 8); // RACE
}

int main(void)
{
    irkiss_async(worker, 0);
    buffer[7] = 1; // RACE
    return 0;
}

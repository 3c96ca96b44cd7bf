// irkiss: ; expect: none
//
// A block copy ends just before the byte that the other thread writes.
#include <irkiss.h>
#include <string.h>

unsigned char buffer[16], source[16];

static void worker(void *argument)
{
    (void)argument;
    memcpy(buffer, source, 8); // NORACE
}

int main(void)
{
    irkiss_async(worker, 0);
    buffer[8] = 1; // NORACE
    return 0;
}

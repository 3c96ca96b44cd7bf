// irkiss: ; expect: assert
//
// As ring_safe.c, but the entry before the first is taken for one of them.
#include <irkiss.h>

struct entry {
    unsigned length, data;
};
struct device {
    int state;
    struct entry ring[128];
    int *owner;
    unsigned next;
};
struct device device;
int here;
unsigned start;

static void worker(void *argument)
{
    struct device *d = argument;
    unsigned at = d->next + 127;
    __irkiss_assert(d->ring[at % 128].length != 0, "the entry before the first"); // ASSERT-FAILS
}

int main(void)
{
    unsigned i;
    device.state = 1;
    device.owner = &here;
    start = __irkiss_nondet_u32();
    for (i = 0; i < 4; i++) {
        struct entry *entry = &device.ring[(start + i) % 128];
        if (entry->length == 0)
            entry->length = i + 1;
        if (start % 2 == 0)
            entry->data = start;
    }
    device.next = start;
    irkiss_async(worker, &device);
    return 0;
}

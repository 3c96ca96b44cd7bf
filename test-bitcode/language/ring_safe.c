// irkiss: ; expect: none
//
// A ring in the middle of a struct, written by an index: what lies around it is not.
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
    unsigned at = d->next + 3;
    __irkiss_assert(d->ring[at % 128].length == 4, "the last entry is the fourth");
    __irkiss_assert(start % 2 != 0 || d->ring[at % 128].data == start, "its data are those of an even start");
    __irkiss_assert(d->state == 1 && d->owner == &here, "the fields around the ring are as they were");
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

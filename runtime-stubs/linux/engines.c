/* Engines that move memory: the channels of drivers that use virt-dma (drivers/dma/virt-dma.c). Where the members lie depends on the
 * configuration: the debug info of the input says it.
 */
#include "irkiss_linux.h"

#define OFFSET(structure, member) __irkiss_offsetof__##structure##__##member()
#define DECLARE(structure, member) u64 __irkiss_offsetof__##structure##__##member(void)

DECLARE(virt_dma_chan, chan);
DECLARE(virt_dma_chan, lock);
DECLARE(virt_dma_chan, desc_allocated);
DECLARE(virt_dma_chan, desc_submitted);
DECLARE(virt_dma_chan, desc_issued);
DECLARE(virt_dma_chan, desc_completed);
DECLARE(virt_dma_chan, desc_terminated);
DECLARE(dma_chan, device);
DECLARE(dma_chan, device_node);
DECLARE(dma_device, channels);

struct list {
    struct list *next, *before;
};

static void make_empty(char *object, u64 at)
{
    struct list *list = (struct list *)(object + at);
    if (at == IRKISS_NO_OFFSET)
        return;
    list->next = list;
    list->before = list;
}

/* Of a list that nobody has made nothing is known. */
static void add_last(struct list *entry, struct list *list)
{
    struct list *last = list->before;
    if (!last)
        return;
    entry->next = list;
    entry->before = last;
    last->next = entry;
    list->before = entry;
}

/* Its tasklet, whose function is the core's, is not followed. */
void vchan_init(char *channel, char *device)
{
    u64 chan = OFFSET(virt_dma_chan, chan), at_device = OFFSET(dma_chan, device), at_node = OFFSET(dma_chan, device_node);
    u64 lock = OFFSET(virt_dma_chan, lock), channels = OFFSET(dma_device, channels);
    if (lock != IRKISS_NO_OFFSET)
        irkiss_make_free(channel + lock);
    make_empty(channel, OFFSET(virt_dma_chan, desc_allocated));
    make_empty(channel, OFFSET(virt_dma_chan, desc_submitted));
    make_empty(channel, OFFSET(virt_dma_chan, desc_issued));
    make_empty(channel, OFFSET(virt_dma_chan, desc_completed));
    make_empty(channel, OFFSET(virt_dma_chan, desc_terminated));
    if (chan == IRKISS_NO_OFFSET)
        return;
    if (at_device != IRKISS_NO_OFFSET)
        *(char **)(channel + chan + at_device) = device;
    if (at_node != IRKISS_NO_OFFSET && channels != IRKISS_NO_OFFSET)
        add_last((struct list *)(channel + chan + at_node), (struct list *)(device + channels));
}

// irkiss: --property assert,uaf ; expect: none
//
// As alone_fails.c, with nothing wrong.
#include "../drivers/kernel.h"
#include <irkiss.h>

struct entry {
    int count;
};

static struct entry *entry;
static int cookie, count;

static irqreturn_t demo_interrupt(int irq, void *device)
{
    count = 1;
    irkiss_assert(count == 1);
    return IRQ_HANDLED;
}

static int demo_init(void)
{
    int error;

    entry = __kmalloc(sizeof(*entry), GFP_KERNEL | 0x100u);
    if (!entry)
        return -ENOMEM;
    error = request_threaded_irq(5, demo_interrupt, NULL, 0, "demo", &cookie);
    if (error) {
        entry->count = 0;
        kfree(entry);
    }
    return error;
}

static void demo_exit(void)
{
    free_irq(5, &cookie);
    entry->count = 0;
    kfree(entry);
}

module_init(demo_init)
module_exit(demo_exit)

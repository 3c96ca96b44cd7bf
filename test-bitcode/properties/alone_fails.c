// irkiss: --property assert,uaf ; expect: assert+uaf
//
// Entry points that run beside nothing: an interrupt handler that is not reentrant, and module exit, after it is freed. What they do
// wrong themselves is found all the same.
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
    irkiss_assert(count == 0); // ASSERT-FAILS
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
        kfree(entry);
        entry->count = 0; // FREED
    }
    return error;
}

static void demo_exit(void)
{
    free_irq(5, &cookie);
    kfree(entry);
    kfree(entry); // FREED
}

module_init(demo_init)
module_exit(demo_exit)

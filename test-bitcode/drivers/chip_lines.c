// irkiss: --pair demo_mask,demo_unmask ; expect: race ; lazy: yes
//
// The kernel holds the lock of an interrupt's descriptor. A chip has more than one interrupt, and all of them share what it has enabled.
#include "kernel.h"

struct irq_data {
    unsigned long hwirq;
    void *chip_data;
};
struct irq_chip {
    const char *name;
    void (*irq_mask)(struct irq_data *);
    void (*irq_unmask)(struct irq_data *);
};
extern void demo_chip(const struct irq_chip *chip);

static unsigned long enabled;

static void demo_mask(struct irq_data *d)
{
    enabled &= ~(1UL << d->hwirq); // RACE
}

static void demo_unmask(struct irq_data *d)
{
    enabled |= 1UL << d->hwirq; // RACE
}

static const struct irq_chip demo = { .name = "demo", .irq_mask = demo_mask, .irq_unmask = demo_unmask };

static int demo_init(void)
{
    demo_chip(&demo);
    return 0;
}

module_init(demo_init)

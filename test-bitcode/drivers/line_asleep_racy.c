// irkiss: ; expect: race
//
// As line_asleep_safe.c, in the first step.
#include "net.h"

struct dev_pm_ops {
    int (*suspend)(struct device *dev);
    int (*suspend_noirq)(struct device *dev);
};

static inline int request_irq(unsigned int irq, irqreturn_t (*handler)(int, void *), unsigned long flags, const char *name, void *device)
{
    return request_threaded_irq(irq, handler, NULL, flags, name, device);
}

static int state;

static irqreturn_t demo_interrupt(int irq, void *device)
{
    state++; // RACE
    return IRQ_HANDLED;
}

static int demo_suspend(struct device *dev)
{
    state = 0; // RACE
    return 0;
}

const struct dev_pm_ops demo_pm = { .suspend = demo_suspend };

static int demo_init(void)
{
    return request_irq(5, demo_interrupt, 0, "demo", &state);
}

module_init(demo_init)

// irkiss: ; expect: none
//
// Lines of devices are off while a system that goes to sleep has the last step done: that of request_irq, too, which is a function of a header.
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
    state++; // NORACE
    return IRQ_HANDLED;
}

static int demo_suspend(struct device *dev)
{
    state = 0; // NORACE
    return 0;
}

const struct dev_pm_ops demo_pm = { .suspend_noirq = demo_suspend };

static int demo_init(void)
{
    return request_irq(5, demo_interrupt, 0, "demo", &state);
}

module_init(demo_init)

// irkiss: ; expect: none
//
// `suspend` switches an interrupt on, the last thing that it does: before another `suspend` comes `resume`, which switches it off again.
#include "part_linux.h"

struct dev_pm_ops {
    int (*suspend)(struct device *dev);
    int (*resume)(struct device *dev);
};

#define NO_AUTOEN 0x80000ul

static int woken;
static int irq = 7;

static irqreturn_t demo_wake(int irq, void *data)
{
    woken = 1;
    return IRQ_HANDLED;
}

static int demo_suspend(struct device *dev)
{
    woken = 0;
    enable_irq(irq);
    return 0;
}

static int demo_resume(struct device *dev)
{
    disable_irq(irq);
    return 0;
}

const struct dev_pm_ops demo_pm = {
    .suspend = demo_suspend,
    .resume = demo_resume,
};

int init_module(void)
{
    return request_irq(irq, demo_wake, NO_AUTOEN, "demo", &woken);
}

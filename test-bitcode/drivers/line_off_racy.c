// irkiss: ; expect: race
//
// As line_off_safe.c, but requesting the line enables it.
#include "net.h"

#define IRQF_NO_AUTOEN 0x80000ul
extern void enable_irq(unsigned int irq), disable_irq(unsigned int irq);
static long ring, cookie;

static irqreturn_t demo_interrupt(int irq, void *device)
{
    return ring ? IRQ_HANDLED : (irqreturn_t)0; // RACE
}

static int demo_open(struct net_device *device)
{
    ring = (long)device; // RACE
    enable_irq(5);
    return 0;
}

static int demo_stop(struct net_device *device)
{
    disable_irq(5);
    ring = 0; // RACE?
    return 0;
}

static const struct net_device_ops demo_ops = { .ndo_open = demo_open, .ndo_stop = demo_stop };

static int demo_init(void)
{
    struct net_device *device = alloc_etherdev_mqs(0, 1, 1);
    int error;
    if (!device)
        return -ENOMEM;
    device->netdev_ops = &demo_ops;
    error = request_threaded_irq(5, demo_interrupt, NULL, 0, "demo", &cookie);
    return error ? error : register_netdev(device);
}

module_init(demo_init)

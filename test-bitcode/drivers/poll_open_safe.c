// irkiss: ; expect: none
//
// What polls is enabled when the device is opened, and what comes before is done by then: a device that is open is not opened once more.
#include "poll.h"

static struct napi_struct napi;
static long ring, cookie;

static irqreturn_t demo_interrupt(int irq, void *device)
{
    if (napi_schedule_prep(&napi))
        __napi_schedule(&napi);
    return IRQ_HANDLED;
}

static int demo_poll(struct napi_struct *napi, int budget)
{
    if (!ring) // NORACE
        return budget;
    napi_complete_done(napi, 0);
    return 0;
}

static int demo_open(struct net_device *device)
{
    int error = request_threaded_irq(5, demo_interrupt, NULL, 0, "demo", &cookie);
    if (error)
        return error;
    ring = (long)device; // NORACE
    napi_enable(&napi);
    return 0;
}

static int demo_stop(struct net_device *device)
{
    napi_disable(&napi);
    free_irq(5, &cookie);
    ring = 0; // NORACE
    return 0;
}

static const struct net_device_ops demo_ops = { .ndo_open = demo_open, .ndo_stop = demo_stop };

static int demo_init(void)
{
    struct net_device *device = alloc_etherdev_mqs(0, 1, 1);
    if (!device)
        return -ENOMEM;
    device->netdev_ops = &demo_ops;
    netif_napi_add(device, &napi, demo_poll);
    return register_netdev(device);
}

module_init(demo_init)

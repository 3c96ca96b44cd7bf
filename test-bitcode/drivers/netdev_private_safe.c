// irkiss: ; expect: unknown ; reason: is not shown to reach its access
//
// The kernel clears the driver's part of a network device (alloc_netdev_mqs): the flag is not set, so nobody counts.
#include "net.h"

extern struct net_device *alloc_netdev_mqs(int size, const char *name, unsigned char assign, void (*setup)(struct net_device *),
                                           unsigned int tx, unsigned int rx);

struct demo {
    int active;
    long count;
};

static struct demo *netdev_priv(struct net_device *device)
{
    return (struct demo *)((char *)device + (sizeof *device + 31) / 32 * 32);
}

static int demo_xmit(struct sk_buff *buffer, struct net_device *device)
{
    struct demo *demo = netdev_priv(device);
    if (demo->active)
        demo->count++; // NORACE
    return 0;
}

static int demo_mtu(struct net_device *device, int mtu)
{
    struct demo *demo = netdev_priv(device);
    if (demo->active)
        demo->count--; // NORACE
    return 0;
}

static const struct net_device_ops demo_ops = {
    .ndo_start_xmit = demo_xmit,
    .ndo_change_mtu = demo_mtu,
};

static void demo_setup(struct net_device *device)
{
    device->netdev_ops = &demo_ops;
}

static int demo_init(void)
{
    struct net_device *device = alloc_netdev_mqs(sizeof(struct demo), "demo", 0, demo_setup, 1, 1);
    if (!device)
        return -ENOMEM;
    return register_netdev(device);
}

module_init(demo_init)

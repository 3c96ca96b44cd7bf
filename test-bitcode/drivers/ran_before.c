// irkiss: --tier lockset,kiss ; expect: unknown ; reason: vacuous ; forms: nopass
//
// Opening the device counts, too, and has run before a packet is sent: that is no evidence that sending gets to it, which is beyond
// the bound on loops.
#include <irkiss.h>

#include "net.h"

static void count(struct net_device *device)
{
    device->sent++;
}

static int demo_open(struct net_device *device)
{
    count(device);
    return 0;
}

static int demo_xmit(struct sk_buff *buffer, struct net_device *device)
{
    unsigned int left = buffer->len;
    if (left < 64)
        return 0;
    while (left >= 8)
        left -= 8;
    count(device);
    return 0;
}

static int demo_mtu(struct net_device *device, int mtu)
{
    device->sent = 0;
    return 0;
}

static const struct net_device_ops demo_ops = {
    .ndo_open = demo_open,
    .ndo_start_xmit = demo_xmit,
    .ndo_change_mtu = demo_mtu,
};

static int demo_init(void)
{
    struct net_device *device = alloc_etherdev_mqs(0, 1, 1);
    if (!device)
        return -ENOMEM;
    device->netdev_ops = &demo_ops;
    return register_netdev(device);
}

module_init(demo_init)

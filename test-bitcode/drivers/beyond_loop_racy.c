// irkiss: ; expect: race ; lazy: yes
//
// What comes after a loop that goes round more often than the bound is run, although no search gets there.
#include <irkiss.h>

#include "net.h"

static int demo_xmit(struct sk_buff *buffer, struct net_device *device)
{
    unsigned int left = buffer->len;
    if (left < 64)
        return 0;
    while (left >= 8)
        left -= 8;
    device->sent++; // RACE
    return 0;
}

static int demo_mtu(struct net_device *device, int mtu)
{
    device->sent = 0; // RACE
    return 0;
}

static const struct net_device_ops demo_ops = {
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

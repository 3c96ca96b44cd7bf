// irkiss: ; expect: none
//
// What the rules say of a network device: transmission comes after open has returned and is never beside stop, which like
// open and the change of the MTU is under RTNL; transmissions of a queue exclude each other; all get the device that the
// driver registers. The race of the twin is between what RTNL protects and what the queue's lock does.
#include <irkiss.h>

#include "net.h"

static int demo_open(struct net_device *device)
{
    device->opened = 1; // NORACE
    return 0;
}

static int demo_stop(struct net_device *device)
{
    device->opened = 0; // NORACE
    return 0;
}

static int demo_xmit(struct sk_buff *buffer, struct net_device *device)
{
    __irkiss_assert(device->opened == 1, "sent through a device that is closed");
    device->sent++; // NORACE
    return 0;
}

static int demo_mtu(struct net_device *device, int mtu)
{
    device->mtu = mtu; // NORACE
    return 0;
}

static const struct net_device_ops demo_ops = {
    .ndo_open = demo_open,
    .ndo_stop = demo_stop,
    .ndo_start_xmit = demo_xmit,
    .ndo_change_mtu = demo_mtu,
};

static int demo_init(void)
{
    struct net_device *device = alloc_etherdev_mqs(0, 1, 1);
    if (!device)
        return -ENOMEM;
    device->netdev_ops = &demo_ops;
    device->opened = 0;
    return register_netdev(device);
}

module_init(demo_init)

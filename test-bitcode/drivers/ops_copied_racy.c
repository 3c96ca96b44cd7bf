// irkiss: ; expect: race ; lazy: yes
//
// As ops_copied_safe.c, without the lock: what is registered is a copy of the table, and the functions in it run all the same.
#include "net.h"

int ring;

static int demo_open(struct net_device *device)
{
    return 0;
}

static int demo_change_mtu(struct net_device *device, int mtu)
{
    ring = mtu; // RACE
    return 0;
}

static void demo_timeout(struct net_device *device, unsigned int queue)
{
    ring = 0; // RACE
}
static const struct net_device_ops demo_ops = {
    .ndo_open = demo_open,
    .ndo_change_mtu = demo_change_mtu,
    .ndo_tx_timeout = demo_timeout,
};

static int demo_init(void)
{
    struct net_device *device = alloc_etherdev_mqs(0, 1, 1);
    struct net_device_ops *ops = __kmalloc(sizeof(*ops), 0xcc0);

    if (!device || !ops)
        return -ENOMEM;
    *ops = demo_ops;
    device->netdev_ops = ops;
    return register_netdev(device);
}

module_init(demo_init)

// irkiss: ; expect: race ; lazy: yes
//
// As served_ops_safe.c, without the lock: another module sets its device up with these operations and registers it; what this one registers
// itself has others.
#include "net.h"

int ring;

static int served_open(struct net_device *device)
{
    return 0;
}

static int served_change_mtu(struct net_device *device, int mtu)
{
    ring = mtu; // RACE
    return 0;
}

static void served_timeout(struct net_device *device, unsigned int queue)
{
    ring = 0; // RACE
}
static const struct net_device_ops served_ops = {
    .ndo_open = served_open,
    .ndo_change_mtu = served_change_mtu,
    .ndo_tx_timeout = served_timeout,
};

// Exported.
void demo_setup(struct net_device *device)
{
    device->netdev_ops = &served_ops;
}

static int own_open(struct net_device *device)
{
    return 0;
}
static const struct net_device_ops own_ops = { .ndo_open = own_open };

static int demo_init(void)
{
    struct net_device *device = alloc_etherdev_mqs(0, 1, 1);

    if (!device)
        return -ENOMEM;
    device->netdev_ops = &own_ops;
    return register_netdev(device);
}

module_init(demo_init)

// irkiss: ; expect: race ; lazy: yes
//
// As served_device_safe.c, without the lock: another module asks for a device with these operations, initialisation registers none.
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
int demo_register(struct net_device *device)
{
    device->netdev_ops = &served_ops;
    return register_netdev(device);
}

static int demo_init(void)
{
    return 0;
}

module_init(demo_init)

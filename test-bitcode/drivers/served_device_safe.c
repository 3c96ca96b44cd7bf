// irkiss: ; expect: none ; lazy: yes
//
// Another module asks for a device with these operations, which share what they do under a lock.
#include "net.h"

int ring;
static spinlock_t lock;

static int served_open(struct net_device *device)
{
    return 0;
}

static int served_change_mtu(struct net_device *device, int mtu)
{
    spin_lock(&lock);
    ring = mtu; // NORACE
    spin_unlock(&lock);
    return 0;
}

static void served_timeout(struct net_device *device, unsigned int queue)
{
    spin_lock(&lock);
    ring = 0; // NORACE
    spin_unlock(&lock);
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

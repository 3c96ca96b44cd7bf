// irkiss: ; expect: none ; lazy: yes
//
// What is registered is a copy of the table; what its functions share is under a lock.
#include "net.h"

int ring;
static spinlock_t lock;

static int demo_open(struct net_device *device)
{
    return 0;
}

static int demo_change_mtu(struct net_device *device, int mtu)
{
    spin_lock(&lock);
    ring = mtu; // NORACE
    spin_unlock(&lock);
    return 0;
}

static void demo_timeout(struct net_device *device, unsigned int queue)
{
    spin_lock(&lock);
    ring = 0; // NORACE
    spin_unlock(&lock);
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

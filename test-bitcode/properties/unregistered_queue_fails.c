// irkiss: --property removed ; forms: nopass ; expect: finds
//
// As unregistered_queue_holds.c, but the device is put on a list of those to be unregistered, and nobody does it.
#include "../drivers/net.h"

extern void rtnl_lock(void);
extern void rtnl_unlock(void);
extern void unregister_netdevice_queue(struct net_device *device, struct list_head *list);
extern void free_netdev(struct net_device *device);

static struct net_device *demo;
static struct list_head list = { &list, &list };

static int demo_mtu(struct net_device *device, int mtu)
{
    device->mtu = mtu; // FINDS:use-after-removal
    return 0;
}

static const struct net_device_ops demo_ops = { .ndo_change_mtu = demo_mtu };

static int demo_init(void)
{
    int error;
    demo = alloc_etherdev_mqs(0, 1, 1);
    if (!demo)
        return -ENOMEM;
    demo->netdev_ops = &demo_ops;
    error = register_netdev(demo);
    if (error)
        free_netdev(demo);
    return error;
}

static void demo_exit(void)
{
    rtnl_lock();
    unregister_netdevice_queue(demo, &list);
    rtnl_unlock(); // FINDS:use-after-removal
}

module_init(demo_init)
module_exit(demo_exit)

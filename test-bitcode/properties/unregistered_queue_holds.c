// irkiss: --property removed ; forms: nopass ; expect: none
//
// Without a list the device is unregistered at once: nobody calls its functions any more.
#include "../drivers/net.h"

extern void rtnl_lock(void);
extern void rtnl_unlock(void);
extern void unregister_netdevice_queue(struct net_device *device, struct list_head *list);
extern void free_netdev(struct net_device *device);

static struct net_device *demo;

static int demo_mtu(struct net_device *device, int mtu)
{
    device->mtu = mtu;
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
    unregister_netdevice_queue(demo, NULL);
    rtnl_unlock();
}

module_init(demo_init)
module_exit(demo_exit)

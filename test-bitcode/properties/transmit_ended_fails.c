// irkiss: --property uaf ; forms: nopass ; expect: uaf ; lazy: yes
//
// As transmit_ended_holds.c, but what sending uses goes before.
#include "../drivers/net.h"

extern void unregister_netdev(struct net_device *device);
extern void free_netdev(struct net_device *device);

static struct net_device *found;
static int *sent;

static int demo_xmit(struct sk_buff *buffer, struct net_device *device)
{
    (*sent)++; // FREED
    return 0;
}

static int demo_stop(struct net_device *device)
{
    spin_lock(&device->_tx[0]._xmit_lock);
    device->_tx[0].state |= 1;
    spin_unlock(&device->_tx[0]._xmit_lock);
    return 0;
}

static const struct net_device_ops demo_ops = {
    .ndo_stop = demo_stop,
    .ndo_start_xmit = demo_xmit,
};

static int demo_init(void)
{
    sent = __kmalloc(sizeof(*sent), GFP_KERNEL);
    found = alloc_etherdev_mqs(0, 1, 1);
    if (!sent || !found)
        return -ENOMEM;
    found->netdev_ops = &demo_ops;
    return register_netdev(found);
}

static void demo_exit(void)
{
    kfree(sent);
    unregister_netdev(found);
    free_netdev(found);
}

module_init(demo_init)
module_exit(demo_exit)

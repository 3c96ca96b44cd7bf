// irkiss: ; expect: none
//
// As held_queues_racy.c, but with one queue, whose lock keeps those apart who send.
#include "net.h"
#include "work.h"

extern void netif_tx_lock(struct net_device *device);
extern void netif_tx_unlock(struct net_device *device);

static struct net_device *found;
int frozen, locked, sent, addresses;

static int demo_xmit(struct sk_buff *buffer, struct net_device *device)
{
    sent++; // NORACE
    frozen++; // NORACE
    locked++; // NORACE
    return 0;
}

static void demo_rx_mode(struct net_device *device)
{
    addresses++; // NORACE
}

static void demo_work(struct work_struct *work)
{
    netif_tx_lock(found);
    frozen++; // NORACE
    netif_tx_unlock(found);
    spin_lock(&found->_tx[0]._xmit_lock);
    locked++; // NORACE
    spin_unlock(&found->_tx[0]._xmit_lock);
    spin_lock(&found->addr_list_lock);
    addresses++; // NORACE
    spin_unlock(&found->addr_list_lock);
}

static struct work_struct item = { .func = demo_work };

static const struct net_device_ops demo_ops = {
    .ndo_start_xmit = demo_xmit,
    .ndo_set_rx_mode = demo_rx_mode,
};

static int demo_init(void)
{
    struct net_device *device = alloc_etherdev_mqs(0, 1, 1);
    if (!device)
        return -ENOMEM;
    device->netdev_ops = &demo_ops;
    found = device;
    queue_work_on(0, NULL, &item);
    return register_netdev(device);
}

module_init(demo_init)

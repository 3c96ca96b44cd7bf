// irkiss: ; expect: none ; by: lockset
//
// The kernel changes the MTU with RTNL held, and the work item takes RTNL itself.
#include "net.h"
#include "work.h"

extern void rtnl_lock(void);
extern void rtnl_unlock(void);

int limit;

static int demo_mtu(struct net_device *device, int mtu)
{
    limit = mtu; // NORACE
    return 0;
}

static void demo_work(struct work_struct *work)
{
    rtnl_lock();
    limit++; // NORACE
    rtnl_unlock();
}

static struct work_struct item = { .func = demo_work };

static const struct net_device_ops demo_ops = {
    .ndo_change_mtu = demo_mtu,
};

static int demo_init(void)
{
    struct net_device *device = alloc_etherdev_mqs(0, 1, 1);
    if (!device)
        return -ENOMEM;
    device->netdev_ops = &demo_ops;
    queue_work_on(0, NULL, &item);
    return register_netdev(device);
}

module_init(demo_init)

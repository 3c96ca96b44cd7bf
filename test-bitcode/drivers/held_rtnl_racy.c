// irkiss: ; expect: race
//
// As held_rtnl_safe.c, but the work item takes no lock; and an operation that gives RTNL back meanwhile is not kept apart by it.
#include "net.h"
#include "work.h"

extern void rtnl_lock(void);
extern void rtnl_unlock(void);

int limit, opened;

static int demo_mtu(struct net_device *device, int mtu)
{
    limit = mtu; // RACE
    return 0;
}

static int demo_open(struct net_device *device)
{
    rtnl_unlock();
    opened++; // RACE
    rtnl_lock();
    return 0;
}

static int demo_stop(struct net_device *device)
{
    opened--; // RACE?
    return 0;
}

static void demo_work(struct work_struct *work)
{
    limit++; // RACE
}

static struct work_struct item = { .func = demo_work };

static const struct net_device_ops demo_ops = {
    .ndo_open = demo_open,
    .ndo_stop = demo_stop,
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

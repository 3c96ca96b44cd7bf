// irkiss: ; expect: race
//
// Who arms the work is called between open and stop (net/sched/sch_generic.c: dev_watchdog), so that it runs beside another open only
// where stop does not wait for it.
#include "net.h"
#include "work.h"

extern _Bool cancel_work_sync(struct work_struct *work);

static struct work_struct work;
long state;

static void demo_work(struct work_struct *unused)
{
    state = 2; // RACE
}

static void demo_timeout(struct net_device *device, unsigned int queue)
{
    queue_work_on(64, NULL, &work);
}

static int demo_open(struct net_device *device)
{
    state = 1; // RACE
    return 0;
}

static int demo_stop(struct net_device *device)
{

    return 0;
}

static const struct net_device_ops demo_ops = {
    .ndo_open = demo_open,
    .ndo_stop = demo_stop,
    .ndo_tx_timeout = demo_timeout,
};

int init_module(void)
{
    struct net_device *device = alloc_etherdev_mqs(0, 1, 1);
    if (!device)
        return -ENOMEM;
    work.func = demo_work;
    device->netdev_ops = &demo_ops;
    return register_netdev(device);
}

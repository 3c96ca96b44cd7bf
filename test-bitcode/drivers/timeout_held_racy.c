// irkiss: --pair demo_timeout,demo_work ; expect: race ; lazy: yes
//
// As timeout_held_safe.c, but the work does not take the lock of all queues.
#include "kernel.h"

struct net_device;
struct net_device_ops {
    int (*ndo_open)(struct net_device *);
    void (*ndo_tx_timeout)(struct net_device *, unsigned int);
};
struct net_device {
    const struct net_device_ops *netdev_ops;
    spinlock_t tx_global_lock;
};
extern struct net_device *alloc_etherdev_mqs(int size, unsigned int tx, unsigned int rx);
extern int register_netdev(struct net_device *device);
extern _Bool queue_work_on(int cpu, void *queue, void *work);
struct work_struct {
    long data;
    void *next, *prev;
    void (*func)(struct work_struct *);
};

static struct net_device *found;
int resets;

static int demo_open(struct net_device *device)
{
    return 0;
}

static void demo_timeout(struct net_device *device, unsigned int queue)
{
    resets++; // RACE
}

static void demo_work(struct work_struct *work)
{
    resets++; // RACE
}

static struct work_struct item = { .func = demo_work };

static const struct net_device_ops demo_ops = { .ndo_open = demo_open, .ndo_tx_timeout = demo_timeout };

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

// irkiss: ; expect: race ; lazy: yes
//
// As detached_safe.c, but resume attaches the device before it is set up.
#include "kernel.h"
#include "work.h"

#define __LINK_STATE_PRESENT 1
struct device {
    struct device *parent;
    void *driver_data;
};
struct net_device;
struct net_device_ops {
    int (*ndo_open)(struct net_device *);
};
struct net_device {
    char name[16];
    const struct net_device_ops *netdev_ops;
    unsigned long state;
    struct device dev;
};
struct platform_device {
    const char *name;
    struct device dev;
};
struct dev_pm_ops {
    int (*suspend)(struct device *);
    int (*resume)(struct device *);
};
struct device_driver {
    const char *name;
    const struct dev_pm_ops *pm;
};
struct platform_driver {
    int (*probe)(struct platform_device *);
    struct device_driver driver;
};
extern struct net_device *alloc_etherdev_mqs(int size, unsigned int tx, unsigned int rx);
extern int register_netdev(struct net_device *device);
extern void netif_device_detach(struct net_device *device), netif_device_attach(struct net_device *device);
extern int __platform_driver_register(struct platform_driver *driver, struct module *owner);
extern _Bool cancel_work_sync(struct work_struct *work);

static struct net_device *device;
int media, seen;

static void look(struct work_struct *work)
{
    if (!(READ_ONCE(device->state) & (1ul << __LINK_STATE_PRESENT)))
        return;
    seen = media; // RACE
}
static struct work_struct looking = { .func = look };

static int demo_open(struct net_device *own)
{
    return 0;
}
static const struct net_device_ops demo_ops = { .ndo_open = demo_open };

static int demo_suspend(struct device *parent)
{
    netif_device_detach(device);
    return 0;
}

static int demo_resume(struct device *parent)
{
    netif_device_attach(device);
    media = 1; // RACE
    return 0;
}
static const struct dev_pm_ops demo_pm = { .suspend = demo_suspend, .resume = demo_resume };

static int demo_probe(struct platform_device *pdev)
{
    device = alloc_etherdev_mqs(0, 1, 1);
    if (!device)
        return -ENOMEM;
    device->netdev_ops = &demo_ops;
    if (register_netdev(device))
        return -ENOMEM;
    queue_work_on(0, NULL, &looking);
    return 0;
}
static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo", .pm = &demo_pm } };

static int demo_init(void)
{
    return __platform_driver_register(&demo_driver, THIS_MODULE);
}

module_init(demo_init)

// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// As monitor_gone_safe.c, but what an attribute shows goes before the monitor is unregistered.
#include "net.h"

struct pmu {
    const struct attribute_group **attr_groups, **attr_update;
    struct device *dev;
    int type;
};
extern int perf_pmu_register(struct pmu *pmu, const char *name, int type);
extern void perf_pmu_unregister(struct pmu *pmu);
extern void *__kmalloc(size_t size, unsigned int flags);
#define container_of(p, t, m) ((t *)((char *)(p) - __builtin_offsetof(t, m)))

struct monitor {
    long pad;
    int bus;
    struct pmu pmu;
};
static struct monitor *monitor;

static ssize_t bus_show(struct device *dev, struct device_attribute *attribute, char *buffer)
{
    struct monitor *own = container_of((struct pmu *)dev->driver_data, struct monitor, pmu);

    return own->bus; // RACE
}
static DEVICE_ATTR(bus, 0444, bus_show, NULL);
static struct attribute *attributes[] = { &dev_attr_bus.attr, NULL };
static const struct attribute_group group = { .attrs = attributes };
static const struct attribute_group *groups[] = { &group, NULL };

static int demo_probe(struct usb_interface *interface, const struct usb_device_id *id)
{
    monitor = __kmalloc(sizeof(*monitor), 0xcc0);
    if (!monitor)
        return -ENOMEM;
    monitor->bus = 1;
    monitor->pmu.attr_groups = groups;
    interface->dev.driver_data = monitor;
    return perf_pmu_register(&monitor->pmu, "demo", -1);
}

static void demo_disconnect(struct usb_interface *interface)
{
    monitor->bus = 0; // RACE
    perf_pmu_unregister(&monitor->pmu);
}
static struct usb_driver demo_driver = { .name = "demo", .probe = demo_probe, .disconnect = demo_disconnect };

static int demo_init(void)
{
    return usb_register_driver(&demo_driver, NULL, "demo");
}

module_init(demo_init)

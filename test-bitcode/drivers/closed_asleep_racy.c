// irkiss: ; expect: race
//
// As closed_asleep_safe.c, but a work item closes the device, too: it is not frozen.
#include "pci.h"
#include "work.h"

static long running, features;
static struct net_device *device;

static int demo_open(struct net_device *device)
{
    running = 1; // NORACE
    return 0;
}

static int demo_stop(struct net_device *device)
{
    running = 0; // RACE
    return 0;
}

static int demo_set_features(struct net_device *device, unsigned long long wanted)
{
    features = wanted; // NORACE
    return 0;
}

static const struct net_device_ops demo_ops = {
    .ndo_open = demo_open,
    .ndo_stop = demo_stop,
    .ndo_set_features = demo_set_features,
};

static int demo_suspend(struct device *device)
{
    return running < 0 ? -EBUSY : 0; // RACE
}

static int demo_resume(struct device *device)
{
    running = features ? 2 : 1; // RACE
    return 0;
}

static const struct dev_pm_ops demo_pm = { .suspend = demo_suspend, .resume = demo_resume };

static void demo_lost(struct work_struct *work)
{
    dev_close(device);
}
static struct work_struct demo_work = { .func = demo_lost };

static irqreturn_t demo_interrupt(int irq, void *cookie)
{
    queue_work_on(0, NULL, &demo_work);
    return IRQ_HANDLED;
}

static int demo_probe(struct pci_dev *dev, const struct pci_device_id *id)
{
    device = alloc_etherdev_mqs(0, 1, 1);
    if (!device)
        return -ENOMEM;
    device->netdev_ops = &demo_ops;
    if (request_threaded_irq(5, demo_interrupt, NULL, 0, "demo", &running))
        return -EBUSY;
    return register_netdev(device);
}

static struct pci_driver demo_driver = {
    .name = "demo",
    .probe = demo_probe,
    .driver = { .name = "demo", .pm = &demo_pm },
};

PCI_MODULE(demo_driver)

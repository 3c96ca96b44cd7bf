// irkiss: ; expect: none
//
// When the operation is over the device may sleep, beside the work item that the operation has queued: it has to be waited for.
#include "pci.h"
#include "work.h"

extern _Bool cancel_work_sync(struct work_struct *work);

unsigned int told;

static void tell(struct work_struct *work)
{
    told = 1; // NORACE
}
static struct work_struct telling = { .func = tell };

static int demo_set_wol(struct net_device *device, struct ethtool_wolinfo *wol)
{
    queue_work_on(0, NULL, &telling);
    return 0;
}
static const struct ethtool_ops demo_ethtool = { .set_wol = demo_set_wol };

static int demo_open(struct net_device *device)
{
    return 0;
}
static const struct net_device_ops demo_ops = { .ndo_open = demo_open };

static int demo_suspend(struct device *device)
{
    cancel_work_sync(&telling);
    told = 0; // NORACE
    return 0;
}

static int demo_resume(struct device *device)
{
    return 0;
}
static const struct dev_pm_ops demo_pm = { .runtime_suspend = demo_suspend, .runtime_resume = demo_resume };

static int demo_probe(struct pci_dev *dev, const struct pci_device_id *id)
{
    struct net_device *device = alloc_etherdev_mqs(0, 1, 1);
    if (!device)
        return -ENOMEM;
    device->netdev_ops = &demo_ops;
    device->ethtool_ops = &demo_ethtool;
    device->dev.parent = &dev->dev;
    if (register_netdev(device))
        return -ENOMEM;
    pm_runtime_put_sync(&dev->dev);
    return 0;
}

static struct pci_driver demo_driver = {
    .name = "demo",
    .probe = demo_probe,
    .driver = { .name = "demo", .pm = &demo_pm },
};

PCI_MODULE(demo_driver)

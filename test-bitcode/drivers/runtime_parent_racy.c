// irkiss: ; expect: race
//
// As runtime_parent_safe.c, but nothing tells whose device it is; and of get_link, which others call too, the kernel uses nothing.
#include "pci.h"

unsigned int options, links;

static int demo_set_wol(struct net_device *device, struct ethtool_wolinfo *wol)
{
    options = wol->wolopts; // RACE
    return 0;
}

static unsigned int demo_get_link(struct net_device *device)
{
    return links; // RACE
}
static const struct ethtool_ops demo_ethtool = { .set_wol = demo_set_wol, .get_link = demo_get_link };

static int demo_open(struct net_device *device)
{
    return 0;
}
static const struct net_device_ops demo_ops = { .ndo_open = demo_open };

static int demo_suspend(struct device *device)
{
    options = 0; // RACE
    links = 0; // RACE
    return 0;
}

static int demo_resume(struct device *device)
{
    options = 1; // RACE
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

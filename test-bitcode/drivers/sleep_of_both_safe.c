// irkiss: ; expect: none ; lazy: yes
//
// One function for system sleep and for runtime suspend, two threads of which would race: the kernel uses a device while the system
// falls asleep, so it does not suspend it meanwhile (drivers/base/power/main.c: device_prepare, __device_suspend).
#include "pci.h"

long awake;

static int demo_sleep(struct device *device)
{
    awake = awake - 1; // NORACE
    return 0;
}

static int demo_wake(struct device *device)
{
    return 0;
}

static const struct dev_pm_ops demo_pm = {
    .suspend = demo_sleep,
    .resume = demo_wake,
    .runtime_suspend = demo_sleep,
    .runtime_resume = demo_wake,
};

static int demo_probe(struct pci_dev *dev, const struct pci_device_id *id)
{
    pm_runtime_put_sync(&dev->dev);
    return 0;
}

static struct pci_driver demo_driver = {
    .name = "demo",
    .probe = demo_probe,
    .driver = { .name = "demo", .pm = &demo_pm },
};

PCI_MODULE(demo_driver)

// irkiss: ; expect: race
//
// As runtime_system_safe.c, but the driver says that the device need not be woken up for that.
#include "pci.h"

long awake;

static int demo_suspend(struct device *device)
{
    awake = 0; // RACE
    return 0;
}

static int demo_resume(struct device *device)
{
    awake = 1; // RACE
    return 0;
}

static int demo_runtime_suspend(struct device *device)
{
    return 0;
}

static int demo_runtime_resume(struct device *device)
{
    awake = 2; // RACE
    return 0;
}
static const struct dev_pm_ops demo_pm = {
    .suspend = demo_suspend,
    .resume = demo_resume,
    .runtime_suspend = demo_runtime_suspend,
    .runtime_resume = demo_runtime_resume,
};

// A member that lies in its struct where the flags lie in theirs.
struct counts {
    unsigned int first, second, third;
};

__attribute__((noinline)) static void count(struct counts *counts, unsigned int third)
{
    counts->third = third;
}

static int demo_probe(struct pci_dev *dev, const struct pci_device_id *id)
{
    dev_pm_set_driver_flags(&dev->dev, 4); // DPM_FLAG_SMART_SUSPEND
    count(dev->dev.driver_data, dev->vendor);
    pm_runtime_put_sync(&dev->dev);
    return 0;
}

static struct pci_driver demo_driver = {
    .name = "demo",
    .probe = demo_probe,
    .driver = { .name = "demo", .pm = &demo_pm },
};

PCI_MODULE(demo_driver)

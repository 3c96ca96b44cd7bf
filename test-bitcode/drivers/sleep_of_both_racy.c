// irkiss: ; expect: race ; lazy: yes
//
// As sleep_of_both_safe.c, but the function wakes the device up at run time, and the driver says that it need not be woken up before
// the system falls asleep.
#include "pci.h"

long awake;

static int demo_sleep(struct device *device)
{
    awake = awake - 1; // RACE
    return 0;
}

static int demo_wake(struct device *device)
{
    return 0;
}

static const struct dev_pm_ops demo_pm = {
    .suspend = demo_sleep,
    .resume = demo_wake,
    .runtime_suspend = demo_wake,
    .runtime_resume = demo_sleep,
};

static int demo_probe(struct pci_dev *dev, const struct pci_device_id *id)
{
    dev_pm_set_driver_flags(&dev->dev, 4); // DPM_FLAG_SMART_SUSPEND
    pm_runtime_put_sync(&dev->dev);
    return 0;
}

static struct pci_driver demo_driver = {
    .name = "demo",
    .probe = demo_probe,
    .driver = { .name = "demo", .pm = &demo_pm },
};

PCI_MODULE(demo_driver)

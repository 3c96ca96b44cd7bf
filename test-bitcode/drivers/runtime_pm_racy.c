// irkiss: ; expect: race
//
// As runtime_pm_safe.c, but what is used is looked at when the use is over, or before the device is awake.
#include "pci.h"

long awake, waking, idle;

static ssize_t awake_show(struct device *device, struct device_attribute *attribute, char *text)
{
    pm_runtime_get_sync(device);
    pm_runtime_put_sync(device);
    return awake; // RACE
}

// It is in use, but nobody waits until it is awake.
static ssize_t waking_show(struct device *device, struct device_attribute *attribute, char *text)
{
    long n;
    pm_runtime_get(device);
    n = waking; // RACE
    pm_runtime_put_autosuspend(device);
    return n;
}

// Who is asked whether it idles may be asked still.
static ssize_t idle_show(struct device *device, struct device_attribute *attribute, char *text)
{
    long n;
    pm_runtime_get_sync(device);
    n = idle; // RACE
    pm_runtime_put_sync(device);
    return n;
}

static struct device_attribute awake_attribute = { { "awake", 0444 }, awake_show };
static struct device_attribute waking_attribute = { { "waking", 0444 }, waking_show };
static struct device_attribute idle_attribute = { { "idle", 0444 }, idle_show };

static int demo_suspend(struct device *device)
{
    awake = 0; // RACE
    return 0;
}

static int demo_resume(struct device *device)
{
    waking = 1; // RACE
    return 0;
}

static int demo_idle(struct device *device)
{
    idle = 1; // RACE
    return 0;
}
static const struct dev_pm_ops demo_pm = {
    .runtime_suspend = demo_suspend,
    .runtime_resume = demo_resume,
    .runtime_idle = demo_idle,
};

static int demo_probe(struct pci_dev *dev, const struct pci_device_id *id)
{
    if (device_create_file(&dev->dev, &awake_attribute) || device_create_file(&dev->dev, &waking_attribute) ||
        device_create_file(&dev->dev, &idle_attribute))
        return -ENOMEM;
    pm_runtime_put_sync(&dev->dev);
    return 0;
}

static void demo_remove(struct pci_dev *dev)
{
    pm_runtime_get_noresume(&dev->dev);
}

static struct pci_driver demo_driver = {
    .name = "demo",
    .probe = demo_probe,
    .remove = demo_remove,
    .driver = { .name = "demo", .pm = &demo_pm },
};

PCI_MODULE(demo_driver)

// irkiss: ; expect: none
//
// The device sleeps while nobody uses it, and who begins to use it waits until it is awake: it does not fall asleep then, and is not
// waking up any more. Who does not wait looks whether it is awake.
#include "pci.h"

extern int pm_runtime_get_if_in_use(struct device *device);
extern int pm_runtime_get_if_active(struct device *device, _Bool ign_usage_count);

long awake, slept, asked;

static ssize_t awake_show(struct device *device, struct device_attribute *attribute, char *text)
{
    long n;
    pm_runtime_get_sync(device);
    n = awake; // NORACE
    pm_runtime_put_sync(device);
    return n;
}

static ssize_t awake_store(struct device *device, struct device_attribute *attribute, const char *text, size_t n)
{
    long *at = device->driver_data;
    pm_runtime_get_noresume(device);
    if (pm_runtime_active(device) && *at == 0) // NORACE
        n = 0;
    pm_runtime_put_noidle(device);
    return n;
}

static ssize_t active_show(struct device *device, struct device_attribute *attribute, char *text)
{
    long n;
    if (pm_runtime_get_if_active(device, 1) <= 0)
        return 0;
    n = awake; // NORACE
    pm_runtime_put_autosuspend(device);
    return n;
}

// It is in use already: by itself.
static ssize_t in_use_show(struct device *device, struct device_attribute *attribute, char *text)
{
    long n = 0;
    pm_runtime_get_noresume(device);
    if (pm_runtime_get_if_in_use(device) > 0) {
        n = awake; // NORACE
        pm_runtime_put_noidle(device);
    }
    pm_runtime_put_noidle(device);
    return n;
}

static struct device_attribute awake_attribute = { { "awake", 0644 }, awake_show, awake_store };
static struct device_attribute active_attribute = { { "active", 0444 }, active_show };
static struct device_attribute in_use_attribute = { { "in_use", 0444 }, in_use_show };

static int demo_suspend(struct device *device)
{
    awake = 0; // NORACE
    slept = 1; // NORACE
    return 0;
}

static int demo_resume(struct device *device)
{
    awake = 1; // NORACE
    slept = 2; // NORACE
    return 0;
}

static int demo_idle(struct device *device)
{
    asked = 1; // NORACE
    return 0;
}
static const struct dev_pm_ops demo_pm = {
    .runtime_suspend = demo_suspend,
    .runtime_resume = demo_resume,
    .runtime_idle = demo_idle,
};

static int demo_probe(struct pci_dev *dev, const struct pci_device_id *id)
{
    awake = 1;
    dev->dev.driver_data = &awake;
    if (device_create_file(&dev->dev, &awake_attribute) || device_create_file(&dev->dev, &active_attribute) ||
        device_create_file(&dev->dev, &in_use_attribute))
        return -ENOMEM;
    pm_runtime_put_autosuspend(&dev->dev);
    return 0;
}

// The bus keeps it awake for that.
static void demo_remove(struct pci_dev *dev)
{
    pm_runtime_get_noresume(&dev->dev);
    slept = 0; // NORACE
    asked = 0; // NORACE
}

static struct pci_driver demo_driver = {
    .name = "demo",
    .probe = demo_probe,
    .remove = demo_remove,
    .driver = { .name = "demo", .pm = &demo_pm },
};

PCI_MODULE(demo_driver)

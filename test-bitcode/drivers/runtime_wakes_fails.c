// irkiss: --property assert ; expect: assert
//
// Who waits until the device is awake goes on when it has been woken up, and where it could not be put to sleep.
#include "pci.h"
#include <irkiss.h>

static long woken, refused;

static ssize_t used_show(struct device *device, struct device_attribute *attribute, char *text)
{
    pm_runtime_get_sync(device);
    irkiss_assert(!woken); // ASSERT-FAILS
    irkiss_assert(!refused); // ASSERT-FAILS
    pm_runtime_put_sync(device);
    return 0;
}
static struct device_attribute used_attribute = { { "used", 0444 }, used_show };

static int demo_suspend(struct device *device)
{
    refused = __irkiss_nondet_bool();
    return refused ? -EBUSY : 0;
}

static int demo_resume(struct device *device)
{
    woken = 1;
    return 0;
}
static const struct dev_pm_ops demo_pm = { .runtime_suspend = demo_suspend, .runtime_resume = demo_resume };

static int demo_probe(struct pci_dev *dev, const struct pci_device_id *id)
{
    if (device_create_file(&dev->dev, &used_attribute))
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

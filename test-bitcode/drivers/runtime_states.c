// irkiss: --property assert ; expect: none
//
// What the callbacks of runtime power management find; a device that the driver keeps in use is not asked whether it idles.
#include "pci.h"
#include <irkiss.h>

#define CHECK(condition) __irkiss_assert((condition) ? 1 : 0, #condition)

static _Bool kept;

static int demo_suspend(struct device *device)
{
    CHECK(READ_ONCE(device->power.runtime_status) == RPM_SUSPENDING);
    return 0;
}

static int demo_resume(struct device *device)
{
    CHECK(READ_ONCE(device->power.runtime_status) == RPM_RESUMING);
    return 0;
}

static int demo_idle(struct device *device)
{
    CHECK(!kept);
    return 0;
}
static const struct dev_pm_ops demo_pm = {
    .runtime_suspend = demo_suspend,
    .runtime_resume = demo_resume,
    .runtime_idle = demo_idle,
};

static int demo_probe(struct pci_dev *dev, const struct pci_device_id *id)
{
    kept = __irkiss_nondet_bool();
    if (!kept)
        pm_runtime_put_sync(&dev->dev);
    return 0;
}

static struct pci_driver demo_driver = {
    .name = "demo",
    .probe = demo_probe,
    .driver = { .name = "demo", .pm = &demo_pm },
};

PCI_MODULE(demo_driver)

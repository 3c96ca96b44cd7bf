// irkiss: --property assert ; expect: none
//
// What a driver finds whose bus does nothing: the device is asleep, unused and off until it says otherwise.
#include "platform.h"
#include <irkiss.h>

#define CHECK(condition) __irkiss_assert((condition) ? 1 : 0, #condition)

static int demo_suspend(struct device *device)
{
    CHECK(!device->power.disable_depth);
    CHECK(READ_ONCE(device->power.runtime_status) == RPM_SUSPENDING);
    return 0;
}

static int demo_resume(struct device *device)
{
    CHECK(READ_ONCE(device->power.runtime_status) == RPM_RESUMING);
    return 0;
}
static const struct dev_pm_ops demo_pm = { .runtime_suspend = demo_suspend, .runtime_resume = demo_resume };

static int demo_probe(struct platform_device *dev)
{
    struct device *device = &dev->dev;
    CHECK(device->power.disable_depth == 1);
    CHECK(device->power.usage_count.counter == 0);
    CHECK(READ_ONCE(device->power.runtime_status) == RPM_SUSPENDED);
    if (pm_runtime_set_active(device))
        return -ENOMEM;
    CHECK(READ_ONCE(device->power.runtime_status) == RPM_ACTIVE);
    pm_runtime_enable(device);
    CHECK(!device->power.disable_depth);
    CHECK(pm_runtime_set_active(device) < 0);
    return 0;
}

static struct platform_driver demo_driver = {
    .probe = demo_probe,
    .driver = { .name = "demo", .pm = &demo_pm },
};

PLATFORM_MODULE(demo_driver)

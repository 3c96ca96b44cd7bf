// irkiss: ; expect: none
//
// With the system the device falls asleep whoever uses it; processes that use it are frozen then.
#include "platform.h"

long awake;

static ssize_t awake_show(struct device *device, struct device_attribute *attribute, char *text)
{
    long n;
    pm_runtime_get_sync(device);
    n = awake; // NORACE
    pm_runtime_put_sync(device);
    return n;
}
static struct device_attribute awake_attribute = { { "awake", 0444 }, awake_show };

static int demo_suspend(struct device *device)
{
    awake = 0; // NORACE
    return 0;
}

static int demo_resume(struct device *device)
{
    return 0;
}
static const struct dev_pm_ops demo_pm = {
    .suspend = pm_runtime_force_suspend,
    .resume = pm_runtime_force_resume,
    .runtime_suspend = demo_suspend,
    .runtime_resume = demo_resume,
};

static int demo_probe(struct platform_device *dev)
{
    pm_runtime_enable(&dev->dev);
    return device_create_file(&dev->dev, &awake_attribute);
}

static struct platform_driver demo_driver = {
    .probe = demo_probe,
    .driver = { .name = "demo", .pm = &demo_pm },
};

PLATFORM_MODULE(demo_driver)

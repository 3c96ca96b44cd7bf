// irkiss: ; expect: none
//
// The bus does nothing for the device: the driver switches runtime power management on, and whoever uses it, removal too, wakes it first.
// Shutdown waits for what is under way.
#include "platform.h"

long awake, last;

static ssize_t awake_show(struct device *device, struct device_attribute *attribute, char *text)
{
    long n;
    if (pm_runtime_resume_and_get(device))
        return -ENOMEM;
    n = awake; // NORACE
    pm_runtime_put_autosuspend(device);
    return n;
}
static struct device_attribute awake_attribute = { { "awake", 0444 }, awake_show };

static int demo_suspend(struct device *device)
{
    awake = 0; // NORACE
    last = 1; // NORACE
    return 0;
}

static int demo_resume(struct device *device)
{
    awake = 1; // NORACE
    return 0;
}
static const struct dev_pm_ops demo_pm = { .runtime_suspend = demo_suspend, .runtime_resume = demo_resume };

static int demo_probe(struct platform_device *dev)
{
    int result;
    awake = 2; // NORACE
    pm_runtime_enable(&dev->dev);
    result = pm_runtime_resume_and_get(&dev->dev);
    if (result)
        return result;
    pm_runtime_put_sync(&dev->dev);
    return device_create_file(&dev->dev, &awake_attribute);
}

static int demo_remove(struct platform_device *dev)
{
    pm_runtime_get_sync(&dev->dev);
    last = 3; // NORACE
    __pm_runtime_disable(&dev->dev, 1);
    last = 5; // NORACE
    pm_runtime_put_noidle(&dev->dev);
    return 0;
}

static void demo_shutdown(struct platform_device *dev)
{
    last = 4; // NORACE
}

static struct platform_driver demo_driver = {
    .probe = demo_probe,
    .remove = demo_remove,
    .shutdown = demo_shutdown,
    .driver = { .name = "demo", .pm = &demo_pm },
};

PLATFORM_MODULE(demo_driver)

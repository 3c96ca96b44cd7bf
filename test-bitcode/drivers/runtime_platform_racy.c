// irkiss: ; expect: race ; lazy: yes
//
// As runtime_platform_safe.c, but removal and shutdown find the device as it is, and what waits for it is waited for too late.
#include "platform.h"

long awake, removed, waking, off;

static ssize_t awake_show(struct device *device, struct device_attribute *attribute, char *text)
{
    if (pm_runtime_resume_and_get(device))
        return -ENOMEM;
    pm_runtime_put_autosuspend(device);
    return awake; // RACE
}

static ssize_t off_show(struct device *device, struct device_attribute *attribute, char *text)
{
    return off; // RACE
}
static struct device_attribute awake_attribute = { { "awake", 0444 }, awake_show };
static struct device_attribute off_attribute = { { "off", 0444 }, off_show };

static int demo_suspend(struct device *device)
{
    awake = 0; // RACE
    removed = 1; // RACE
    return 0;
}

static int demo_resume(struct device *device)
{
    waking = 1; // RACE
    return 0;
}
static const struct dev_pm_ops demo_pm = { .runtime_suspend = demo_suspend, .runtime_resume = demo_resume };

static int demo_probe(struct platform_device *dev)
{
    pm_runtime_set_active(&dev->dev);
    pm_runtime_enable(&dev->dev);
    if (device_create_file(&dev->dev, &off_attribute))
        return -ENOMEM;
    return device_create_file(&dev->dev, &awake_attribute);
}

static int demo_remove(struct platform_device *dev)
{
    removed = 3; // RACE
    __pm_runtime_disable(&dev->dev, 1);
    // It is off: nobody wakes it, or waits.
    if (pm_runtime_get_sync(&dev->dev) < 0)
        off = 1; // RACE
    pm_runtime_put_noidle(&dev->dev);
    return 0;
}

static void demo_shutdown(struct platform_device *dev)
{
    waking = 4; // RACE
}

static struct platform_driver demo_driver = {
    .probe = demo_probe,
    .remove = demo_remove,
    .shutdown = demo_shutdown,
    .driver = { .name = "demo", .pm = &demo_pm },
};

PLATFORM_MODULE(demo_driver)

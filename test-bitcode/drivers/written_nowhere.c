// irkiss: ; expect: unknown ; reason: is not shown to reach its access
//
// Both get to where they read; to where one of them writes, neither does: that nothing was found says nothing.
#include "platform.h"

static long *mode, never;

static ssize_t mode_show(struct device *dev, struct device_attribute *attribute, char *text)
{
    if (never)
        *mode = 1;
    return *mode;
}
static struct device_attribute mode_attribute = { { "mode", 0444 }, mode_show };

static int demo_probe(struct platform_device *dev)
{
    mode = __kmalloc(sizeof(*mode), GFP_KERNEL);
    if (!mode)
        return -ENOMEM;
    *mode = 0;
    return device_create_file(&dev->dev, &mode_attribute);
}

static struct platform_driver demo_driver = {
    .probe = demo_probe,
    .driver = { .name = "demo" },
};

PLATFORM_MODULE(demo_driver)

// irkiss: ; expect: none ; lazy: yes
//
// device_remove_file() and sysfs_remove_group() wait for those in the attributes, and nobody gets in afterwards.
#include "net.h"

struct demo {
    int level;
    int mode;
};

static ssize_t level_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
    struct demo *demo = device->driver_data;
    return demo->level; // NORACE
}
static DEVICE_ATTR(level, 0444, level_show, NULL);

static ssize_t mode_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
    struct demo *demo = device->driver_data;
    return demo->mode; // NORACE
}
static DEVICE_ATTR(mode, 0444, mode_show, NULL);

static struct attribute *demo_attributes[] = { &dev_attr_mode.attr, NULL };
static const struct attribute_group demo_group = { .attrs = demo_attributes };

static int demo_probe(struct usb_interface *interface, const struct usb_device_id *id)
{
    int failed;
    struct demo *demo = __kmalloc(sizeof(*demo), GFP_KERNEL | 0x100u);
    if (!demo)
        return -ENOMEM;
    interface->dev.driver_data = demo;
    failed = device_create_file(&interface->dev, &dev_attr_level);
    if (failed)
        return failed;
    return sysfs_create_group(&interface->dev, &demo_group);
}

static void demo_disconnect(struct usb_interface *interface)
{
    struct demo *demo = interface->dev.driver_data;
    device_remove_file(&interface->dev, &dev_attr_level);
    demo->level = 0; // NORACE
    sysfs_remove_group(&interface->dev, &demo_group);
    demo->mode = 0; // NORACE
}

static struct usb_driver demo_driver = {
    .name = "demo",
    .probe = demo_probe,
    .disconnect = demo_disconnect,
};

static int demo_init(void)
{
    return usb_register_driver(&demo_driver, THIS_MODULE, "demo");
}

static void demo_exit(void)
{
    usb_deregister(&demo_driver);
}

module_init(demo_init)
module_exit(demo_exit)

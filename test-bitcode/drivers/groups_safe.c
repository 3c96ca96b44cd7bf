// irkiss: ; expect: none ; lazy: yes
//
// Attributes that the driver names in dev_groups: the driver core removes them, and waits for those in them, before it calls
// disconnect.
#include "net.h"

struct demo {
    int level;
};

static ssize_t level_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
    struct demo *demo = device->driver_data;
    return demo->level; // NORACE
}
static DEVICE_ATTR(level, 0444, level_show, NULL);

static struct attribute *demo_attributes[] = { &dev_attr_level.attr, NULL };
static const struct attribute_group demo_group = { .attrs = demo_attributes };
static const struct attribute_group *demo_groups[] = { &demo_group, NULL };

static int demo_probe(struct usb_interface *interface, const struct usb_device_id *id)
{
    struct demo *demo = __kmalloc(sizeof(*demo), GFP_KERNEL | 0x100u);
    if (!demo)
        return -ENOMEM;
    interface->dev.driver_data = demo;
    return 0;
}

static void demo_disconnect(struct usb_interface *interface)
{
    struct demo *demo = interface->dev.driver_data;
    demo->level = 0; // NORACE
}

static struct usb_driver demo_driver = {
    .name = "demo",
    .probe = demo_probe,
    .disconnect = demo_disconnect,
    .dev_groups = demo_groups,
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

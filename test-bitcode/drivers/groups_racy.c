// irkiss: ; expect: race ; lazy: yes
//
// The same attribute, made by probe: disconnect has to remove it before it changes what it shows.
#include "net.h"

struct demo {
    int level;
};

static ssize_t level_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
    struct demo *demo = device->driver_data;
    return demo->level; // RACE
}
static DEVICE_ATTR(level, 0444, level_show, NULL);

static int demo_probe(struct usb_interface *interface, const struct usb_device_id *id)
{
    struct demo *demo = __kmalloc(sizeof(*demo), GFP_KERNEL | 0x100u);
    if (!demo)
        return -ENOMEM;
    interface->dev.driver_data = demo;
    return device_create_file(&interface->dev, &dev_attr_level);
}

static void demo_disconnect(struct usb_interface *interface)
{
    struct demo *demo = interface->dev.driver_data;
    demo->level = 0; // RACE
    device_remove_file(&interface->dev, &dev_attr_level);
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

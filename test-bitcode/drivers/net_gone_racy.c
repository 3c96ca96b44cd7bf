// irkiss: ; expect: race ; lazy: yes
//
// As net_gone_safe.c, but disconnect is done with the device before it says so.
#include "net.h"

struct demo {
    struct mutex lock;
    int gone;
    int left;
};

static ssize_t left_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
    struct demo *demo = device->driver_data;
    int left = -EBUSY;
    mutex_lock(&demo->lock);
    if (!demo->gone) {
        demo->left = demo->left + 1; // RACE?
        left = demo->left; // RACE?
    }
    mutex_unlock(&demo->lock);
    return left;
}

static DEVICE_ATTR(left, 0444, left_show, NULL);

static int demo_probe(struct usb_interface *interface, const struct usb_device_id *id)
{
    struct demo *demo = __kmalloc(sizeof(*demo), GFP_KERNEL | 0x100u);
    if (!demo)
        return -ENOMEM;
    __mutex_init(&demo->lock, "demo", NULL);
    interface->dev.driver_data = demo;
    return device_create_file(&interface->dev, &dev_attr_left);
}

static void demo_disconnect(struct usb_interface *interface)
{
    struct demo *demo = interface->dev.driver_data;
    demo->left = 0; // RACE
    mutex_lock(&demo->lock);
    demo->gone = 1;
    mutex_unlock(&demo->lock);
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

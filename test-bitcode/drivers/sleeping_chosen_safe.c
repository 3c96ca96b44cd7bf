// irkiss: ; expect: none
//
// As sleeping_safe.c; what init sets of the driver is its name.
#include "net.h"

static long users;

static ssize_t users_show(struct device *device, struct device_attribute *attribute, char *text)
{
    return users; // NORACE
}

static struct device_attribute users_attribute = { .attr = { "users", 0444 }, .show = users_show };
static struct attribute *demo_attributes[] = { &users_attribute.attr, NULL };
static const struct attribute_group demo_group = { .attrs = demo_attributes };
static const struct attribute_group *demo_groups[] = { &demo_group, NULL };

static int demo_suspend(struct usb_interface *interface, pm_message_t message)
{
    users = 0; // NORACE
    return 0;
}

static int demo_resume(struct usb_interface *interface)
{
    users = 1; // NORACE
    return 0;
}

static int demo_probe(struct usb_interface *interface, const struct usb_device_id *id)
{
    return 0;
}

static void demo_disconnect(struct usb_interface *interface)
{
}

static struct usb_driver demo_driver = {
    .name = "demo",
    .probe = demo_probe,
    .disconnect = demo_disconnect,
    .suspend = demo_suspend,
    .resume = demo_resume,
    .dev_groups = demo_groups,
};

static int demo_init(void)
{
    demo_driver.name = "other";
    return usb_register_driver(&demo_driver, THIS_MODULE, "demo");
}

static void demo_exit(void)
{
    usb_deregister(&demo_driver);
}

module_init(demo_init)
module_exit(demo_exit)

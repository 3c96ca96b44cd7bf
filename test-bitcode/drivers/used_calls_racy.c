// irkiss: ; expect: race
//
// As used_racy.c, with the other calls that let the device go to sleep again.
#include "net.h"

extern int usb_autopm_get_interface(struct usb_interface *interface);
extern void usb_autopm_put_interface_async(struct usb_interface *interface);
extern void usb_autopm_put_interface_no_suspend(struct usb_interface *interface);

static long users, others;
static struct usb_interface *interface_of_demo;

static ssize_t users_show(struct device *device, struct device_attribute *attribute, char *text)
{
    if (usb_autopm_get_interface(interface_of_demo) != 0)
        return -ENOMEM;
    usb_autopm_put_interface_async(interface_of_demo);
    return users; // RACE
}

static ssize_t others_show(struct device *device, struct device_attribute *attribute, char *text)
{
    if (usb_autopm_get_interface(interface_of_demo) != 0)
        return -ENOMEM;
    usb_autopm_put_interface_no_suspend(interface_of_demo);
    return others; // RACE
}

static struct device_attribute users_attribute = { .attr = { "users", 0444 }, .show = users_show };
static struct device_attribute others_attribute = { .attr = { "others", 0444 }, .show = others_show };
static struct attribute *demo_attributes[] = { &users_attribute.attr, &others_attribute.attr, NULL };
static const struct attribute_group demo_group = { .attrs = demo_attributes };
static const struct attribute_group *demo_groups[] = { &demo_group, NULL };

static int demo_suspend(struct usb_interface *interface, pm_message_t message)
{
    users = 0; // RACE
    others = 0; // RACE
    return 0;
}

static int demo_resume(struct usb_interface *interface)
{
    users = 1;
    others = 1;
    return 0;
}

static int demo_probe(struct usb_interface *interface, const struct usb_device_id *id)
{
    interface_of_demo = interface;
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
    .no_dynamic_id = 1,
    .supports_autosuspend = 1,
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

// irkiss: --property assert ; expect: assert
//
// Who waits until the interface is awake goes on when it has been woken up, and where it could not be put to sleep.
#include "net.h"
#include <irkiss.h>

extern int usb_autopm_get_interface(struct usb_interface *interface);
extern void usb_autopm_put_interface(struct usb_interface *interface);

static long woken, refused;
static struct usb_interface *interface_of_demo;

static ssize_t users_show(struct device *device, struct device_attribute *attribute, char *text)
{
    if (usb_autopm_get_interface(interface_of_demo) != 0)
        return -ENOMEM;
    irkiss_assert(!woken); // ASSERT-FAILS
    irkiss_assert(!refused); // ASSERT-FAILS
    usb_autopm_put_interface(interface_of_demo);
    return 0;
}

static struct device_attribute users_attribute = { .attr = { "users", 0444 }, .show = users_show };
static struct attribute *demo_attributes[] = { &users_attribute.attr, NULL };
static const struct attribute_group demo_group = { .attrs = demo_attributes };
static const struct attribute_group *demo_groups[] = { &demo_group, NULL };

static int demo_suspend(struct usb_interface *interface, pm_message_t message)
{
    refused = __irkiss_nondet_bool();
    return refused ? -EBUSY : 0;
}

static int demo_resume(struct usb_interface *interface)
{
    woken = 1;
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

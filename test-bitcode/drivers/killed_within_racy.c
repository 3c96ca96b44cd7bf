// irkiss: ; expect: race ; lazy: yes
//
// As killed_within_safe.c, but the length is cleared before the request is killed.
#include "net.h"

struct demo {
    struct urb *request;
    long bytes;
};

static void demo_complete(struct urb *urb)
{
    struct demo *demo = urb->context;
    demo->bytes = urb->actual_length; // RACE
}

static int demo_probe(struct usb_interface *interface, const struct usb_device_id *id)
{
    struct demo *demo = __kmalloc(sizeof(*demo), GFP_KERNEL | 0x100u);
    if (!demo)
        return -ENOMEM;
    demo->request = usb_alloc_urb(0, GFP_KERNEL);
    if (!demo->request)
        return -ENOMEM;
    demo->request->complete = demo_complete;
    demo->request->context = demo;
    interface->dev.driver_data = demo;
    return 0;
}

static int demo_suspend(struct usb_interface *interface, pm_message_t message)
{
    struct demo *demo = interface->dev.driver_data;
    usb_kill_urb(demo->request);
    return 0;
}

static int demo_resume(struct usb_interface *interface)
{
    struct demo *demo = interface->dev.driver_data;
    int error = usb_submit_urb(demo->request, GFP_KERNEL);
    demo->bytes = 0; // RACE
    usb_kill_urb(demo->request);
    return error;
}

static void demo_disconnect(struct usb_interface *interface)
{
    struct demo *demo = interface->dev.driver_data;
    usb_kill_urb(demo->request);
}

static struct usb_driver demo_driver = {
    .name = "demo",
    .probe = demo_probe,
    .disconnect = demo_disconnect,
    .suspend = demo_suspend,
    .resume = demo_resume,
    .no_dynamic_id = 1,
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

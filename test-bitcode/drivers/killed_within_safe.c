// irkiss: ; expect: none ; lazy: yes
//
// The request is under way only within resume(), which submits it and kills it before it returns: the completion runs within
// resume(), and nothing else shows that it runs at all.
#include "net.h"

struct demo {
    struct urb *request;
    long bytes;
};

static void demo_complete(struct urb *urb)
{
    struct demo *demo = urb->context;
    demo->bytes = urb->actual_length; // NORACE
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
    usb_kill_urb(demo->request);
    if (demo->bytes > 5)
        demo->bytes = 0; // NORACE
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

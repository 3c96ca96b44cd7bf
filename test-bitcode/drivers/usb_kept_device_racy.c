// irkiss: ; expect: race ; lazy: yes
//
// As usb_kept_device_safe.c, but usb_unlink_urb does not wait for the completion.
#include "net.h"

extern struct usb_device *usb_get_dev(struct usb_device *device);
extern void usb_put_dev(struct usb_device *device);
extern void *usb_alloc_coherent(struct usb_device *device, size_t size, unsigned int flags, unsigned long *address);

struct demo {
    struct usb_device *device;
    struct urb *request;
    void *buffer;
    unsigned long address;
};

static struct usb_device *device_of(struct usb_interface *interface)
{
    return (struct usb_device *)((char *)interface->dev.parent - __builtin_offsetof(struct usb_device, dev));
}

static void demo_complete(struct urb *urb)
{
    struct demo *demo = urb->context;
    demo->device->devnum = 0; // RACE
}

static int demo_probe(struct usb_interface *interface, const struct usb_device_id *id)
{
    struct demo *demo = __kmalloc(sizeof(*demo), GFP_KERNEL | 0x100u);
    if (!demo)
        return -ENOMEM;
    demo->device = usb_get_dev(device_of(interface));
    demo->buffer = usb_alloc_coherent(demo->device, 8, GFP_KERNEL, &demo->address);
    demo->request = usb_alloc_urb(0, GFP_KERNEL);
    if (!demo->buffer || !demo->request)
        return -ENOMEM;
    if (demo->device->devnum == 1)
        return -EBUSY;
    demo->request->complete = demo_complete;
    demo->request->context = demo;
    interface->dev.driver_data = demo;
    return usb_submit_urb(demo->request, GFP_KERNEL);
}

static void demo_disconnect(struct usb_interface *interface)
{
    struct demo *demo = interface->dev.driver_data;
    usb_unlink_urb(demo->request);
    device_of(interface)->devnum = 2; // RACE
    usb_put_dev(demo->device);
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

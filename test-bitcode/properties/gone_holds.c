// irkiss: --property removed ; expect: none ; lazy: yes
//
// As gone_fails.c, but asks first whether the device is there, under the lock that disconnect() takes.
#include "../drivers/net.h"

extern int usb_control_msg(struct usb_device *device, unsigned int pipe, unsigned char request, unsigned char type,
                           unsigned short value, unsigned short index, void *data, unsigned short size, int timeout);

static struct usb_device *device;
static DEFINE_MUTEX(device_lock);
static int present;

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    int ret = -ENOMEM;

    mutex_lock(&device_lock);
    if (present)
        ret = usb_control_msg(device, 0, 1, 0, 0, 0, NULL, 0, 100);
    mutex_unlock(&device_lock);
    return ret;
}

/* Ended by the kernel before disconnect() and before usb_deregister() returns. */
static void demo_complete(struct urb *urb)
{
    usb_submit_urb(urb, 0xa20u);
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .write = demo_write };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_probe(struct usb_interface *interface, const struct usb_device_id *id)
{
    struct urb *request = usb_alloc_urb(0, GFP_KERNEL);

    if (!request)
        return -ENOMEM;
    request->complete = demo_complete;
    present = 1;
    return usb_submit_urb(request, GFP_KERNEL);
}

static void demo_disconnect(struct usb_interface *interface)
{
    mutex_lock(&device_lock);
    present = 0;
    mutex_unlock(&device_lock);
}

static struct usb_driver demo_driver = {
    .name = "demo",
    .probe = demo_probe,
    .disconnect = demo_disconnect,
};

static int demo_init(void)
{
    if (misc_register(&demo_device))
        return -ENOMEM;
    return usb_register_driver(&demo_driver, THIS_MODULE, "demo");
}

static void demo_exit(void)
{
    usb_deregister(&demo_driver);
    misc_deregister(&demo_device);
}

module_init(demo_init)
module_exit(demo_exit)

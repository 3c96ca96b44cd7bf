// irkiss: --property uaf ; forms: nopass ; expect: uaf ; lazy: yes
//
// Whoever of release() and disconnect() comes last frees the device. Under the mutex each knows whether it is the last; but the other one may
// still be in mutex_unlock(), which uses the mutex after it has given it back.
#include "net.h"

struct demo {
    struct mutex lock;
    int opened, present;
};

static struct demo *device;

static int demo_open(struct inode *inode, struct file *file)
{
    file->private_data = device;
    device->opened = 1;
    return 0;
}

static int demo_release(struct inode *inode, struct file *file)
{
    struct demo *d = file->private_data;

    mutex_lock(&d->lock);
    d->opened = 0;
    if (d->present) {
        mutex_unlock(&d->lock); // FREED
    } else {
        mutex_unlock(&d->lock);
        kfree(d);
    }
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .open = demo_open, .release = demo_release };
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_probe(struct usb_interface *interface, const struct usb_device_id *id)
{
    device = __kmalloc(sizeof(*device), GFP_KERNEL);
    if (!device)
        return -ENOMEM;
    __mutex_init(&device->lock, "demo", NULL);
    device->opened = 0;
    device->present = 1;
    return misc_register(&demo_misc);
}

static void demo_disconnect(struct usb_interface *interface)
{
    struct demo *d = device;

    misc_deregister(&demo_misc);
    mutex_lock(&d->lock);
    d->present = 0;
    if (d->opened) {
        mutex_unlock(&d->lock);
    } else {
        mutex_unlock(&d->lock);
        kfree(d);
    }
}

static struct usb_driver demo_driver = { .name = "demo", .probe = demo_probe, .disconnect = demo_disconnect };

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

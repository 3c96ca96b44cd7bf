// irkiss: ; expect: race ; lazy: yes
//
// As usb_open_safe.c, but disconnect() takes no lock, and usb_deregister_dev(), which waits for those in open(), comes late.
#include "net.h"

#define container_of(pointer, type, member) ((type *)((char *)(pointer) - __builtin_offsetof(type, member)))

extern struct usb_interface *usb_find_interface(struct usb_driver *driver, int minor);
struct usb_class_driver {
    char *name;
    char *(*devnode)(void *, void *);
    const struct file_operations *fops;
    int minor_base;
};
extern int usb_register_dev(struct usb_interface *interface, struct usb_class_driver *class_driver);
extern void usb_deregister_dev(struct usb_interface *interface, struct usb_class_driver *class_driver);

struct demo {
    struct mutex lock;
    struct usb_device *device;
    long opens;
};
static struct usb_driver demo_driver;

static int demo_open(struct inode *inode, struct file *file)
{
    struct usb_interface *interface = usb_find_interface(&demo_driver, 0);
    struct demo *demo = interface ? interface->dev.driver_data : NULL;
    if (!demo)
        return -ENOMEM;
    mutex_lock(&demo->lock);
    demo->opens++; // NORACE
    demo->device->devnum++; // RACE
    mutex_unlock(&demo->lock);
    file->private_data = demo;
    return 0;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .open = demo_open,
};

static struct usb_class_driver demo_class = {
    .name = "demo",
    .fops = &demo_fops,
};

static int demo_probe(struct usb_interface *interface, const struct usb_device_id *id)
{
    struct demo *demo = __kmalloc(sizeof(*demo), GFP_KERNEL | 0x100u);
    if (!demo)
        return -ENOMEM;
    __mutex_init(&demo->lock, "demo", NULL);
    demo->device = container_of(interface->dev.parent, struct usb_device, dev);
    interface->dev.driver_data = demo;
    return usb_register_dev(interface, &demo_class);
}

static void demo_disconnect(struct usb_interface *interface)
{
    struct demo *demo = interface->dev.driver_data;
    demo->device->devnum = 0; // RACE
    usb_deregister_dev(interface, &demo_class);
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

module_init(demo_init)

// irkiss: ; expect: none ; lazy: yes
//
// A pointer out of an object that the kernel made (a USB interface) is first used for a field that is not the first one,
// and for an element of an array.
#include "net.h"

struct setting {
    long class, number, *table;
};
static DEFINE_MUTEX(lock);
static struct usb_interface *found;

static int demo_open(struct inode *inode, struct file *file)
{
    struct setting *setting;
    if (!found)
        return -ENOMEM;
    setting = found->cur_altsetting;
    mutex_lock(&lock);
    setting->number++; // NORACE
    mutex_unlock(&lock);
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .open = demo_open };
static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_probe(struct usb_interface *interface, const struct usb_device_id *id)
{
    struct setting *setting = interface->cur_altsetting;
    if (setting->number != 3 || setting->table[setting->class] != 4)
        return -EBUSY;
    found = interface;
    return misc_register(&demo_device);
}

static void demo_disconnect(struct usb_interface *interface)
{
    struct setting *setting = interface->cur_altsetting;
    mutex_lock(&lock);
    setting->number = 0; // NORACE
    mutex_unlock(&lock);
}

static struct usb_driver demo_driver = { .name = "demo", .probe = demo_probe, .disconnect = demo_disconnect };

static int demo_init(void)
{
    return usb_register_driver(&demo_driver, THIS_MODULE, "demo");
}

module_init(demo_init)

// irkiss: --tier contexts --contexts 1 ; expect: none ; lazy: yes
// irkiss: --tier contexts --contexts 1 --track none ; expect: none ; lazy: yes
//
// As unfollowed_racy.c, under a lock.
#include "net.h"

struct card {
    unsigned char *buffer;
};
static DEFINE_MUTEX(lock);
static struct usb_interface *found;

static ssize_t demo_read(struct file *file, char __user *bytes, size_t count, loff_t *position)
{
    struct card *card = found ? (struct card *)found->cur_altsetting : NULL;
    if (!card)
        return -ENOMEM;
    mutex_lock(&lock);
    card->buffer[0] = 1;
    mutex_unlock(&lock);
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_probe(struct usb_interface *interface, const struct usb_device_id *id)
{
    found = interface;
    return misc_register(&demo_device);
}

static struct usb_driver demo_driver = { .name = "demo", .probe = demo_probe };

static int demo_init(void)
{
    return usb_register_driver(&demo_driver, THIS_MODULE, "demo");
}

module_init(demo_init)

// irkiss: --tier contexts --contexts 1 ; expect: race ; lazy: yes
// irkiss: --tier contexts --contexts 1 --track none ; expect: race ; lazy: yes
//
// The buffer is one that the kernel hands in, and nothing that is followed leads there: the race on it is found all the same.
#include "net.h"

struct card {
    unsigned char *buffer;
};
static struct usb_interface *found;

static ssize_t demo_read(struct file *file, char __user *bytes, size_t count, loff_t *position)
{
    struct card *card = found ? (struct card *)found->cur_altsetting : NULL;
    if (!card)
        return -ENOMEM;
    card->buffer[0] = 1; // RACE
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

// irkiss: ; expect: race ; lazy: yes
//
// As reset_held_safe.c, but pre_reset sets a flag: who has looked at it before is not waited for.
#include "kernel.h"

struct usb_interface;
struct usb_driver {
    const char *name;
    int (*pre_reset)(struct usb_interface *interface);
    int (*post_reset)(struct usb_interface *interface);
};
extern int usb_register_driver(struct usb_driver *driver, struct module *owner, const char *name);

static DEFINE_MUTEX(io);
static int error;
static int resetting;

static ssize_t demo_write(struct file *file, const char *buffer, size_t count, loff_t *position)
{
    int seen;
    if (READ_ONCE(resetting))
        return -EBUSY;
    mutex_lock(&io);
    seen = error; // RACE?
    error = 0; // RACE?
    mutex_unlock(&io);
    return seen;
}
static const struct file_operations demo_operations = { .owner = THIS_MODULE, .write = demo_write };
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_operations };

static int demo_pre_reset(struct usb_interface *interface)
{
    WRITE_ONCE(resetting, 1);
    return 0;
}

static int demo_post_reset(struct usb_interface *interface)
{
    error = -32; // RACE
    WRITE_ONCE(resetting, 0);
    return 0;
}

static struct usb_driver demo_driver = { .name = "demo", .pre_reset = demo_pre_reset, .post_reset = demo_post_reset };

static int demo_init(void)
{
    int failed = misc_register(&demo_misc);
    return failed ? failed : usb_register_driver(&demo_driver, THIS_MODULE, "demo");
}

module_init(demo_init)

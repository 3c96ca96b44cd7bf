// irkiss: --property removed ; expect: none
//
// An open file may have a light registered, and takes it back when it is closed. Module exit comes when no file is open.
#include "../drivers/kernel.h"

struct led_classdev {
    const char *name;
    void (*brightness_set)(struct led_classdev *, int);
};
extern int led_classdev_register_ext(void *parent, struct led_classdev *light, void *data);
extern void led_classdev_unregister(struct led_classdev *light);

struct lamp {
    struct led_classdev light;
    int there;
};
int bright;

static void lamp_set(struct led_classdev *light, int brightness)
{
    WRITE_ONCE(bright, brightness);
}

static int lamp_open(struct inode *inode, struct file *file)
{
    file->private_data = __kmalloc(sizeof(struct lamp), 0xcc0 | 0x100);
    return file->private_data ? 0 : -ENOMEM;
}

static ssize_t lamp_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    struct lamp *lamp = file->private_data;

    if (lamp->there)
        return -EBUSY;
    lamp->light.brightness_set = lamp_set;
    if (led_classdev_register_ext(NULL, &lamp->light, NULL))
        return -EBUSY;
    lamp->there = 1;
    return size;
}

static int lamp_release(struct inode *inode, struct file *file)
{
    struct lamp *lamp = file->private_data;

    if (lamp->there)
        led_classdev_unregister(&lamp->light);
    kfree(lamp);
    return 0;
}

static const struct file_operations lamp_fops = {
    .owner = THIS_MODULE, .open = lamp_open, .write = lamp_write, .release = lamp_release
};
static struct miscdevice lamp_device = { .minor = MISC_DYNAMIC_MINOR, .name = "lamp", .fops = &lamp_fops };

static int lamp_init(void)
{
    return misc_register(&lamp_device);
}

static void lamp_exit(void)
{
    misc_deregister(&lamp_device);
}

module_init(lamp_init)
module_exit(lamp_exit)

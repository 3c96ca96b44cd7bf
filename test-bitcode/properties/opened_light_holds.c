// irkiss: --property removed ; expect: none
//
// Who opens the file has a light registered, and closing the file takes it back. Module exit comes when no file is open.
#include "../drivers/kernel.h"

struct led_classdev {
    const char *name;
    void (*brightness_set)(struct led_classdev *, int);
};
extern int led_classdev_register_ext(void *parent, struct led_classdev *light, void *data);
extern void led_classdev_unregister(struct led_classdev *light);

int bright;

static void lamp_set(struct led_classdev *light, int brightness)
{
    WRITE_ONCE(bright, brightness);
}

static struct led_classdev light = { .name = "lamp", .brightness_set = lamp_set };

static int lamp_open(struct inode *inode, struct file *file)
{
    return led_classdev_register_ext(NULL, &light, NULL);
}

static int lamp_release(struct inode *inode, struct file *file)
{
    led_classdev_unregister(&light);
    return 0;
}

static const struct file_operations lamp_fops = { .owner = THIS_MODULE, .open = lamp_open, .release = lamp_release };
static struct miscdevice lamp_device = { .minor = MISC_DYNAMIC_MINOR, .name = "lamp", .fops = &lamp_fops };

static int lamp_init(void)
{
    return misc_register(&lamp_device);
}

static void lamp_exit(void)
{
    misc_deregister(&lamp_device);
    WRITE_ONCE(bright, 0);
}

module_init(lamp_init)
module_exit(lamp_exit)

// irkiss: --property removed ; expect: finds
//
// As opened_light_holds.c, but the file has no owner: it stays open when the module goes, and the light registered.
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
    WRITE_ONCE(bright, brightness); // FINDS:use-after-removal
}

static struct led_classdev light = { .name = "lamp", .brightness_set = lamp_set };

static int lamp_open(struct inode *inode, struct file *file)
{
    return led_classdev_register_ext(NULL, &light, NULL);
}

static int lamp_release(struct inode *inode, struct file *file)
{
    led_classdev_unregister(&light); // FINDS:use-after-removal
    return 0;
}

static const struct file_operations lamp_fops = { .open = lamp_open, .release = lamp_release };
static struct miscdevice lamp_device = { .minor = MISC_DYNAMIC_MINOR, .name = "lamp", .fops = &lamp_fops };

static int lamp_init(void)
{
    return misc_register(&lamp_device);
}

static void lamp_exit(void)
{
    misc_deregister(&lamp_device);
    WRITE_ONCE(bright, 0); // FINDS:use-after-removal
}

module_init(lamp_init)
module_exit(lamp_exit)

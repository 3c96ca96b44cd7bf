// irkiss: ; expect: race ; lazy: yes
//
// v4l2_device_register makes its device what the parent's data is, where that has none yet.
#include "platform.h"

struct v4l2_device {
    struct device *dev;
    void *mdev;
};
struct demo {
    struct v4l2_device v4l2;
    int count;
};
extern int v4l2_device_register(struct device *dev, struct v4l2_device *v4l2);

static struct demo demo;
static struct device *parent;

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    struct demo *own = parent->driver_data;
    own->count++; // RACE
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_probe(struct platform_device *pdev)
{
    parent = &pdev->dev;
    if (v4l2_device_register(parent, &demo.v4l2) || demo.v4l2.dev != parent)
        return -ENOMEM;
    return misc_register(&demo_device);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

PLATFORM_MODULE(demo_driver)

// irkiss: ; expect: none
//
// As the racy twin, but the copy is made under the lock of whoever changes them.
#include "platform.h"

struct settings {
    long limits[4];
    int mode;
};

extern void *kmemdup(const void *from, size_t bytes, unsigned int flags);

static DEFINE_MUTEX(lock);
static struct settings *shared;

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    struct settings *copy;
    long mode;

    mutex_lock(&lock);
    copy = kmemdup(shared, sizeof *copy, GFP_KERNEL);
    mutex_unlock(&lock);
    if (!copy)
        return -12;
    mode = copy->mode;
    kfree(copy);
    return mode;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    mutex_lock(&lock);
    shared->mode = size;
    mutex_unlock(&lock);
    return size;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read, .write = demo_write };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_probe(struct platform_device *pdev)
{
    shared = __kmalloc(sizeof *shared, GFP_KERNEL);
    if (!shared)
        return -12;
    return misc_register(&demo_device);
}

static int demo_remove(struct platform_device *pdev)
{
    misc_deregister(&demo_device);
    return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .remove = demo_remove, .driver = { .name = "demo" } };

PLATFORM_MODULE(demo_driver)

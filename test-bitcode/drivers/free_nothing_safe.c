// irkiss: ; expect: none
//
// As free_nothing_racy.c, but what comes after is done under the lock.
#include "kernel.h"

static unsigned int level;
static DEFINE_MUTEX(lock);

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    unsigned int found;

    mutex_lock(&lock);
    found = level; // NORACE
    mutex_unlock(&lock);
    return found;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    kfree((void *)16);
    mutex_lock(&lock);
    level = bytes; // NORACE
    mutex_unlock(&lock);
    return bytes;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .read = demo_read,
    .write = demo_write,
};

static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)

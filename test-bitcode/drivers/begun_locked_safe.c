// irkiss: ; expect: none ; lazy: yes ; forms: nopass
//
// The device is registered before it is set up, but both take the lock.
#include "kernel.h"

static int limit;
static DEFINE_MUTEX(lock);

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    int value;
    mutex_lock(&lock);
    value = limit; // NORACE
    mutex_unlock(&lock);
    return value;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    int error = misc_register(&demo_device);

    if (error)
        return error;
    mutex_lock(&lock);
    limit = 5; // NORACE
    mutex_unlock(&lock);
    return 0;
}

module_init(demo_init)

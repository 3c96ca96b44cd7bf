// irkiss: ; expect: race ; lazy: yes ; forms: nopass
//
// As begun_locked_safe.c, but initialisation does not take the lock.
#include "kernel.h"

static int limit;
static DEFINE_MUTEX(lock);

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    int value;
    mutex_lock(&lock);
    value = limit; // RACE
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
    limit = 5; // RACE
    return 0;
}

module_init(demo_init)

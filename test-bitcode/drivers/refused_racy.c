// irkiss: ; expect: race
//
// A device that can do without a second one: where that was there, its file is read beside this.
#include "kernel.h"

static int registered;
int shared;

static ssize_t second_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    return shared; // RACE
}

static const struct file_operations second_fops = { .owner = THIS_MODULE, .read = second_read };
static struct miscdevice second_device = { .minor = MISC_DYNAMIC_MINOR, .name = "second", .fops = &second_fops };

static DEFINE_MUTEX(lock);

static ssize_t first_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&lock);
    if (registered)
        shared = 1; // RACE
    mutex_unlock(&lock);
    return 0;
}

static const struct file_operations first_fops = { .owner = THIS_MODULE, .write = first_write };
static struct miscdevice first_device = { .minor = MISC_DYNAMIC_MINOR, .name = "first", .fops = &first_fops };

static int demo_init(void)
{
    registered = misc_register(&second_device) == 0;
    return misc_register(&first_device);
}

module_init(demo_init)

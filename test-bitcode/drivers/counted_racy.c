// irkiss: ; expect: race
//
// The parts are counted from one, so that the compiler takes the size of one off the address. Nothing holds the total together.
#include "kernel.h"

static const struct part {
    long first, second;
    int on, other;
} parts[4] = { { .on = 1 }, { .on = 1 }, { .on = 1 }, { .on = 1 } };

static DEFINE_SPINLOCK(total_lock);
static int total;

static ssize_t counted_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    if (size < 1 || size > 4 || !parts[size - 1].on)
        return 0;
    total++; // RACE
    return 0;
}

static const struct file_operations counted_fops = {
    .owner = THIS_MODULE,
    .read = counted_read,
};

static struct miscdevice counted_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "counted",
    .fops = &counted_fops,
};

static int counted_init(void)
{
    return misc_register(&counted_device);
}

static void counted_exit(void)
{
    misc_deregister(&counted_device);
}

module_init(counted_init)
module_exit(counted_exit)

// irkiss: ; expect: none
// irkiss: --tier coverability ; expect: none ; by: coverability
//
// A flag, taken and given back within a spin lock, guards what is done outside of it: to lock it while it is busy is refused.
#include "kernel.h"

static DEFINE_SPINLOCK(lock);
static int busy;
static int transferred;

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    spin_lock(&lock);
    if (busy) {
        spin_unlock(&lock);
        return -EBUSY;
    }
    busy = 1;
    spin_unlock(&lock);
    transferred = transferred + (int)bytes;
    spin_lock(&lock);
    busy = 0;
    spin_unlock(&lock);
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .write = demo_write };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)

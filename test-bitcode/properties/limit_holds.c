// irkiss: --property atomicity ; expect: none
//
// One write at a time: it looks and claims in one section; an ioctl reads again before it writes.
#include "../drivers/kernel.h"

#define DEMO_DOUBLE 1

static DEFINE_MUTEX(demo_lock);
static DEFINE_SPINLOCK(level_lock);
static int busy;
static int level = 1;

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    mutex_lock(&demo_lock);
    if (busy) {
        mutex_unlock(&demo_lock);
        return -EBUSY;
    }
    busy = 1;
    mutex_unlock(&demo_lock);
    return size;
}

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
    int now;

    if (command != DEMO_DOUBLE)
        return -ENOMEM;
    spin_lock(&level_lock);
    now = level;
    spin_unlock(&level_lock);
    spin_lock(&level_lock);
    if (level == now)
        level = 2 * now;
    spin_unlock(&level_lock);
    return 0;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .write = demo_write,
    .unlocked_ioctl = demo_ioctl,
};

static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

static void demo_exit(void)
{
    misc_deregister(&demo_device);
}

module_init(demo_init)
module_exit(demo_exit)

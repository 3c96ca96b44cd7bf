// irkiss: --pair turns_read,turns_write ; expect: none
//
// As two_orders_racy.c, but who answers does so after its access.
#include "kernel.h"

static int asked_read, asked_write;
int by_read, by_write;

static ssize_t turns_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    WRITE_ONCE(asked_read, 1);
    if (READ_ONCE(asked_read) == 2)
        by_read = 1;
    if (READ_ONCE(asked_write) == 1) {
        by_write = 2;
        WRITE_ONCE(asked_write, 2);
    }
    return 0;
}

static ssize_t turns_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    WRITE_ONCE(asked_write, 1);
    if (READ_ONCE(asked_write) == 2)
        by_write = 1;
    if (READ_ONCE(asked_read) == 1) {
        by_read = 2;
        WRITE_ONCE(asked_read, 2);
    }
    return 0;
}

static const struct file_operations turns_fops = {
    .owner = THIS_MODULE,
    .read = turns_read,
    .write = turns_write,
};

static struct miscdevice turns_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "turns",
    .fops = &turns_fops,
};

static int turns_init(void)
{
    return misc_register(&turns_device);
}

static void turns_exit(void)
{
    misc_deregister(&turns_device);
}

module_init(turns_init)
module_exit(turns_exit)

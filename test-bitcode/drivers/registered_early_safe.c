// irkiss: ; expect: none
// irkiss: --scenario lifecycle ; expect: none
//
// The table is ready before the device can be opened.
#include "kernel.h"

int table_ready;

static ssize_t early_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    return table_ready; // NORACE
}

static const struct file_operations early_fops = {
    .owner = THIS_MODULE,
    .read = early_read,
};

static struct miscdevice early_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "early",
    .fops = &early_fops,
};

static int early_init(void)
{
    table_ready = 1; // NORACE
    return misc_register(&early_device);
}

static void early_exit(void)
{
    misc_deregister(&early_device);
}

module_init(early_init);
module_exit(early_exit);

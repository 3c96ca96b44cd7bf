// irkiss: ; expect: none
//
// misc_deregister() waits for those in open(), and nobody gets in afterwards.
#include "kernel.h"

int opened;

static int demo_open(struct inode *inode, struct file *file)
{
    opened++; // NORACE
    return 0;
}

static const struct file_operations demo_fops = {
    .open = demo_open,
};

static struct miscdevice demo_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "demo",
    .fops = &demo_fops,
};

static int demo_init(void)
{
    return misc_register(&demo_device);
}

static void demo_exit(void)
{
    misc_deregister(&demo_device);
    opened = 0; // NORACE
}

module_init(demo_init)
module_exit(demo_exit)

// irkiss: ; expect: race
//
// misc_deregister() does not wait for files that are open (and nothing keeps the module, which the operations do not name).
#include "kernel.h"

int served;

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    served++; // RACE
    return 0;
}

static const struct file_operations demo_fops = {
    .read = demo_read,
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
    served = 0; // RACE
}

module_init(demo_init)
module_exit(demo_exit)

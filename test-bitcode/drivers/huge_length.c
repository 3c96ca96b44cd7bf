// irkiss: ; expect: race
//
// A length from outside that is larger than all memory: the run that has it ends there, and what others find is told.
#include "kernel.h"

extern unsigned long _copy_from_user(void *to, const void __user *from, unsigned long bytes);

static int demo_users;
static char demo_text[16];

static ssize_t demo_write(struct file *file, const char __user *from, size_t length, loff_t *at)
{
    if (length == ~0ul && _copy_from_user(demo_text, from, length))
        return -EFAULT;
    demo_users++; // RACE
    return 0;
}

static const struct file_operations demo_fops = {
    .write = demo_write,
};
static struct miscdevice demo_device = {
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
}
module_init(demo_init)
module_exit(demo_exit)

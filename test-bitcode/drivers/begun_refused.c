// irkiss: ; expect: unknown ; lazy: yes
//
// What initialisation does where its file was refused is beside nobody: that nothing is found there says nothing.
#include "kernel.h"

static DEFINE_MUTEX(writing);
int count;

static void demo_reset(void)
{
    count = 0;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    mutex_lock(&writing);
    demo_reset();
    mutex_unlock(&writing);
    return size;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .write = demo_write };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    int error = misc_register(&demo_device);
    if (error)
        demo_reset();
    return error;
}

module_init(demo_init)

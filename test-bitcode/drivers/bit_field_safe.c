// irkiss: ; expect: none
//
// Bit-fields of one byte under one lock; what shares no byte with them needs none.
#include "kernel.h"

static DEFINE_SPINLOCK(lock);
static struct {
    unsigned long open : 1;
    unsigned long gone : 1;
    unsigned long errors : 6;
    unsigned char other;
} state;

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    spin_lock(&lock);
    state.open = 1;
    spin_unlock(&lock);
    return 0;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    spin_lock(&lock);
    state.errors = bytes;
    spin_unlock(&lock);
    return state.other;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .read = demo_read,
    .write = demo_write,
};

static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)

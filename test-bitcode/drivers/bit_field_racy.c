// irkiss: ; expect: race ; forms: nopass
//
// Two bit-fields of one byte, each under no lock or another: who writes one writes the other too.
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
    state.open = 1; // RACE
    return 0;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    spin_lock(&lock);
    state.errors = bytes; // RACE
    spin_unlock(&lock);
    return 0;
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

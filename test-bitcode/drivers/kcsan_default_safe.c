// irkiss: --marked kcsan-default ; expect: none ; forms: nopass
//
// By KCSAN's default a plain aligned write of up to a word is as good as marked: it does not race with a marked read, nor with another such write.
#include "kernel.h"

static long count, other;
static struct {
    char before;
    int value;
} __attribute__((packed)) odd;

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    return READ_ONCE(count) + READ_ONCE(other);
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    count = 1;
    other = bytes;
    odd.before = 1;
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

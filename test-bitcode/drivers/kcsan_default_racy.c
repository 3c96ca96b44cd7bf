// irkiss: --marked kcsan-default ; expect: race ; forms: nopass
//
// By KCSAN's default, too, the write of an increment is none that compilers do in one, nor is one of a part that is not aligned; a plain read is a plain read.
#include "kernel.h"

static long count, other;
static struct {
    char before;
    int value;
} __attribute__((packed)) odd;

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    return READ_ONCE(count) + READ_ONCE(odd.value) + other; // RACE
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    count++; // RACE
    odd.value = 1; // RACE
    other = 1; // RACE
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

// irkiss: ; expect: race ; forms: nopass
//
// Who owns a counter says so, and another writes it, marked; who has a flag to himself says so, and another reads it.
#include "kcsan.h"

static DEFINE_SPINLOCK(lock);
static long owned, flag, bits, scoped;

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    WRITE_ONCE(owned, 1); // RACE
    WRITE_ONCE(bits, 1);
    WRITE_ONCE(scoped, 1); // RACE
    return READ_ONCE(flag); // RACE
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    ASSERT_EXCLUSIVE_WRITER_SCOPED(scoped); // RACE
    ASSERT_EXCLUSIVE_WRITER(owned); // RACE
    ASSERT_EXCLUSIVE_BITS(bits, 2);
    ASSERT_EXCLUSIVE_ACCESS(flag); // RACE
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

// irkiss: ; expect: none ; forms: nopass
//
// Who owns a counter says that nobody else writes it: others read it. Who has a flag to himself, by a lock, says so.
#include "kcsan.h"

static DEFINE_SPINLOCK(lock);
static long owned, flag, bits, scoped;

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    long seen;

    spin_lock(&lock);
    seen = flag;
    spin_unlock(&lock);
    WRITE_ONCE(bits, 1);
    return seen + READ_ONCE(owned) + READ_ONCE(scoped);
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    ASSERT_EXCLUSIVE_WRITER_SCOPED(scoped);

    if (bytes == 4)
        return 0;
    spin_lock(&lock);
    ASSERT_EXCLUSIVE_WRITER(owned);
    ASSERT_EXCLUSIVE_BITS(bits, 2);
    ASSERT_EXCLUSIVE_ACCESS(flag);
    flag = 1;
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

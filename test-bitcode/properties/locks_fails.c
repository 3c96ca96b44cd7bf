// irkiss: --property lock-misuse ; expect: finds ; forms: nopass
//
// Locks of a driver, each used wrongly in one way: the four kinds of --property lock-misuse.
#include "../drivers/kernel.h"

extern void msleep(unsigned int ms);
#define GFP_ATOMIC 0xa20u

static DEFINE_SPINLOCK(counter_lock);
static DEFINE_MUTEX(table_lock);
static int cookie;
static long *table;

static void reset(void)
{
    mutex_lock(&table_lock); // FINDS:double-acquire
    table = NULL;
    mutex_unlock(&table_lock);
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    spin_lock(&counter_lock);
    if (size == 1)
        msleep(1); // FINDS:sleep-in-atomic
    spin_unlock(&counter_lock);
    if (size == 0)
        spin_unlock(&counter_lock); // FINDS:release-not-held
    return 0;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    mutex_lock(&table_lock); // FINDS:return-with-lock-held
    if (size == 1)
        return -EFAULT;
    if (size == 0)
        reset();
    mutex_unlock(&table_lock);
    return size;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .read = demo_read,
    .write = demo_write,
};

static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)

// irkiss: --pair demo_release,demo_write ; expect: unknown
//
// One may have the file open. Its release lets the next one in before it is done: he writes beside it. Two threads do not show that.
#include "kernel.h"

static int is_open;
static int expected;

static int demo_open(struct inode *inode, struct file *file)
{
    if (__atomic_exchange_n(&is_open, 1, __ATOMIC_SEQ_CST))
        return -EBUSY;
    return 0;
}

static ssize_t demo_write(struct file *file, const char __user *text, size_t length, loff_t *at)
{
    expected = 42;
    return length;
}

static int demo_release(struct inode *inode, struct file *file)
{
    __atomic_store_n(&is_open, 0, __ATOMIC_SEQ_CST);
    expected = 0;
    return 0;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .open = demo_open,
    .write = demo_write,
    .release = demo_release,
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

module_init(demo_init)

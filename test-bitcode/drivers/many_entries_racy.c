// irkiss: ; expect: race
//
// As many_entries_safe.c, but nobody looks at the flag in write().
#include "kernel.h"

static int busy;
static long count;

#define ENTER() \
    do { \
        if (__atomic_exchange_n(&busy, 1, __ATOMIC_SEQ_CST)) \
            return -EBUSY; \
    } while (0)
#define LEAVE() __atomic_store_n(&busy, 0, __ATOMIC_SEQ_CST)

static loff_t demo_llseek(struct file *file, loff_t offset, int whence)
{
    ENTER();
    count = offset; // RACE
    LEAVE();
    return offset;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    ENTER();
    long n = count; // RACE
    LEAVE();
    return n;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    count += bytes; // RACE
    return bytes;
}

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
    ENTER();
    if (command == 1)
        count = argument; // RACE
    LEAVE();
    return 0;
}

static int demo_open(struct inode *inode, struct file *file)
{
    ENTER();
    count = 1; // RACE
    LEAVE();
    return 0;
}

static int demo_release(struct inode *inode, struct file *file)
{
    ENTER();
    count = 0; // RACE
    LEAVE();
    return 0;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .llseek = demo_llseek,
    .read = demo_read,
    .write = demo_write,
    .unlocked_ioctl = demo_ioctl,
    .open = demo_open,
    .release = demo_release,
};

static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)

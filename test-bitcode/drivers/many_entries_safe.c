// irkiss: ; expect: none
//
// Six entry points that one flag keeps apart, so many pairs that each thread is executed by itself first: alone, each finds the flag
// unset and gets to its access, but no two of them do.
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
    count = offset;
    LEAVE();
    return offset;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    ENTER();
    long n = count;
    LEAVE();
    return n;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    ENTER();
    count += bytes;
    LEAVE();
    return bytes;
}

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
    ENTER();
    if (command == 1)
        count = argument;
    LEAVE();
    return 0;
}

static int demo_open(struct inode *inode, struct file *file)
{
    ENTER();
    count = 1;
    LEAVE();
    return 0;
}

static int demo_release(struct inode *inode, struct file *file)
{
    ENTER();
    count = 0;
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

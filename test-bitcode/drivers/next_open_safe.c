// irkiss: ; expect: none ; lazy: yes
//
// As next_open_racy.c, but the next one is let in last.
#include "kernel.h"

static DEFINE_SPINLOCK(lock);
static DEFINE_MUTEX(write_mutex);
static int opened;
char expect;

static int demo_open(struct inode *inode, struct file *file)
{
    int error = 0;

    spin_lock(&lock);
    if (opened)
        error = -16;
    else
        opened = 1;
    spin_unlock(&lock);
    return error;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&write_mutex);
    expect = 42; // NORACE
    mutex_unlock(&write_mutex);
    return bytes;
}

static int demo_release(struct inode *inode, struct file *file)
{
    expect = 0; // NORACE
    spin_lock(&lock);
    opened = 0;
    spin_unlock(&lock);
    return 0;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .open = demo_open,
    .write = demo_write,
    .release = demo_release,
};

static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)

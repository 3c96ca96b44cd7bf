// irkiss: ; expect: none
//
// A level that read and write look at under the lock; release resets it under it, too.
#include "kernel.h"

static DEFINE_MUTEX(level_lock);
static int level;

static ssize_t level_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    mutex_lock(&level_lock);
    int now = level;
    mutex_unlock(&level_lock);
    return now;
}

static ssize_t level_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    mutex_lock(&level_lock);
    level = size;
    mutex_unlock(&level_lock);
    return size;
}

static int level_release(struct inode *inode, struct file *file)
{
    mutex_lock(&level_lock);
    level = 0; // NORACE
    mutex_unlock(&level_lock);
    return 0;
}

static const struct file_operations level_fops = {
    .owner = THIS_MODULE,
    .read = level_read,
    .write = level_write,
    .release = level_release,
};

static struct miscdevice level_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "level",
    .fops = &level_fops,
};

static int level_init(void)
{
    return misc_register(&level_device);
}

static void level_exit(void)
{
    misc_deregister(&level_device);
}

module_init(level_init)
module_exit(level_exit)

// irkiss: --pair tried_read,tried_write ; expect: race
//
// As lockset_tried_safe.c, but one error is overlooked.
#include "kernel.h"

extern int mutex_trylock(struct mutex *lock);
extern int mutex_lock_interruptible(struct mutex *lock);
#define EBUSY 16

static DEFINE_MUTEX(lock);
int level;

static int enter(int wait)
{
    if (!wait)
        return mutex_trylock(&lock) ? 0 : -EBUSY;
    return mutex_lock_interruptible(&lock);
}

static ssize_t tried_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    int error = enter(position != NULL);
    if (error == -EBUSY)
        return error;
    level = 1; // RACE
    mutex_unlock(&lock);
    return size;
}

static ssize_t tried_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    mutex_lock(&lock);
    level = 2; // RACE
    mutex_unlock(&lock);
    return size;
}

static const struct file_operations tried_fops = {
    .owner = THIS_MODULE,
    .read = tried_read,
    .write = tried_write,
};

static struct miscdevice tried_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "tried",
    .fops = &tried_fops,
};

static int tried_init(void)
{
    return misc_register(&tried_device);
}

static void tried_exit(void)
{
    misc_deregister(&tried_device);
}

module_init(tried_init)
module_exit(tried_exit)

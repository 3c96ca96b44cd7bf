// irkiss: --pair demo_write,demo_write ; expect: unknown ; reason: there are several
//
// Each open file has a lock of its own, and all of them count together. That the count is read once more keeps analyses of locks from saying
// so; a search of two writers of one file finds nothing.
#include "kernel.h"

extern void __mutex_init(struct mutex *lock, const char *name, void *key);

struct own {
    struct mutex lock;
};
static long total;

static int demo_open(struct inode *inode, struct file *file)
{
    struct own *own = __kmalloc(sizeof(*own), GFP_KERNEL);
    if (!own)
        return -ENOMEM;
    __mutex_init(&own->lock, "own", NULL);
    file->private_data = own;
    return 0;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    struct own *own = file->private_data;
    mutex_lock(&own->lock);
    total += size; // RACE?
    mutex_unlock(&own->lock);
    return size;
}

static int demo_release(struct inode *inode, struct file *file)
{
    kfree(file->private_data);
    return 0;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .open = demo_open,
    .write = demo_write,
    .release = demo_release,
};
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)

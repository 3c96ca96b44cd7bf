// irkiss: ; expect: none ; lazy: yes
//
// As own_lock_each.c, but what they count together has a lock that they share.
#include "kernel.h"

struct demo {
    struct mutex lock;
    long own;
};
static DEFINE_MUTEX(shared);
static long all;

static int demo_open(struct inode *inode, struct file *file)
{
    struct demo *demo = __kmalloc(sizeof(*demo), GFP_KERNEL);
    if (!demo)
        return -ENOMEM;
    __mutex_init(&demo->lock, "lock", NULL);
    demo->own = 0;
    file->private_data = demo;
    return 0;
}

static ssize_t demo_write(struct file *file, const char *buffer, size_t count, loff_t *position)
{
    struct demo *demo = file->private_data;
    mutex_lock(&demo->lock);
    demo->own++; // NORACE
    mutex_unlock(&demo->lock);
    mutex_lock(&shared);
    all++; // NORACE
    mutex_unlock(&shared);
    return count;
}
static const struct file_operations demo_operations = { .owner = THIS_MODULE, .open = demo_open, .write = demo_write };
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_operations };

static int demo_init(void)
{
    return misc_register(&demo_misc);
}

module_init(demo_init)

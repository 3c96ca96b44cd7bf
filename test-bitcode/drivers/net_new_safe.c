// irkiss: --pair demo_read,demo_write ; expect: none
// irkiss: --tier coverability ; expect: none ; by: coverability
//
// A request is filled in before others can find it: no lock is held, and none is needed.
#include "kernel.h"

struct request {
    int length;
    int sum;
};

static DEFINE_SPINLOCK(lock);
static struct request *last;

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    struct request *new = __kmalloc(sizeof *new, GFP_KERNEL);
    if (!new)
        return -ENOMEM;
    new->length = (int)bytes;
    new->sum = new->length + 1;
    spin_lock(&lock);
    last = new;
    spin_unlock(&lock);
    return 0;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    struct request *found;
    spin_lock(&lock);
    found = last;
    spin_unlock(&lock);
    return found ? found->length + found->sum : 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read, .write = demo_write };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)

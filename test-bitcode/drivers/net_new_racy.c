// irkiss: ; expect: race
//
// As net_new_safe.c, but the sum is filled in when others can find the request.
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
    spin_lock(&lock);
    last = new;
    spin_unlock(&lock);
    new->sum = new->length + 1; // RACE
    return 0;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    struct request *found;
    spin_lock(&lock);
    found = last;
    spin_unlock(&lock);
    return found ? found->length + found->sum : 0; // RACE
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read, .write = demo_write };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)

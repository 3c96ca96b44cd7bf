// irkiss: ; expect: none ; lazy: yes
//
// The user says which of two objects, neither of which this file has made, is used.
#include "kernel.h"

struct part {
    long users;
    int count;
};

struct either {
    spinlock_t lock;
    struct part *first, *second;
};
extern struct either *others_either;

static ssize_t either_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    struct either *either = others_either;
    struct part *part;

    spin_lock(&either->lock);
    part = size & 1 ? either->first : either->second;
    part->count++; // NORACE
    spin_unlock(&either->lock);
    return 0;
}

static ssize_t either_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    struct either *either = others_either;
    struct part *part;

    spin_lock(&either->lock);
    part = size & 1 ? either->first : either->second;
    part->count++; // NORACE
    spin_unlock(&either->lock);
    return 0;
}

static const struct file_operations either_fops = {
    .owner = THIS_MODULE,
    .read = either_read,
    .write = either_write,
};

static struct miscdevice either_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "either",
    .fops = &either_fops,
};

static int either_init(void)
{
    return misc_register(&either_device);
}

static void either_exit(void)
{
    misc_deregister(&either_device);
}

module_init(either_init)
module_exit(either_exit)

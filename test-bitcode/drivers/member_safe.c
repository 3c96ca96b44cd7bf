// irkiss: --tier kiss ; expect: none ; lazy: yes
//
// The first thing that is done with an object which this file has not made is to take the lock in it. Were there no object, the
// kernel
// would read a lock at an address that is hardly a number.
#include "kernel.h"

struct member {
    long users;
    spinlock_t lock;
    int count;
};
extern struct member *others_member;

static ssize_t member_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    struct member *member = others_member;

    spin_lock(&member->lock);
    member->count++; // NORACE
    spin_unlock(&member->lock);
    return 0;
}

static ssize_t member_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    struct member *member = others_member;

    spin_lock(&member->lock);
    member->count++; // NORACE
    spin_unlock(&member->lock);
    return 0;
}

static const struct file_operations member_fops = {
    .owner = THIS_MODULE,
    .read = member_read,
    .write = member_write,
};

static struct miscdevice member_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "member",
    .fops = &member_fops,
};

static int member_init(void)
{
    return misc_register(&member_device);
}

static void member_exit(void)
{
    misc_deregister(&member_device);
}

module_init(member_init)
module_exit(member_exit)

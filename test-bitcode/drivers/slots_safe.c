// irkiss: --tier kiss ; expect: none ; lazy: yes
//
// Pointers to slots, which this file has not made, at any index of a table of unknown length. Each slot is used under its lock.
#include "kernel.h"

struct slot {
    spinlock_t lock;
    int count;
};

struct board {
    long id;
    struct slot *slots[];
};
extern struct board *others_board;

static ssize_t slots_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    struct slot *slot = others_board->slots[size + 1];

    spin_lock(&slot->lock);
    slot->count++;
    spin_unlock(&slot->lock);
    return 0;
}

static ssize_t slots_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    struct slot *slot = others_board->slots[size];

    spin_lock(&slot->lock);
    slot->count++;
    spin_unlock(&slot->lock);
    return 0;
}

static const struct file_operations slots_fops = {
    .owner = THIS_MODULE,
    .read = slots_read,
    .write = slots_write,
};

static struct miscdevice slots_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "slots",
    .fops = &slots_fops,
};

static int slots_init(void)
{
    return misc_register(&slots_device);
}

static void slots_exit(void)
{
    misc_deregister(&slots_device);
}

module_init(slots_init)
module_exit(slots_exit)

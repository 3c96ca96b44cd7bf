// irkiss: --pair own_write,own_write ; expect: race ; forms: nopass ; lazy: yes
// irkiss: --pair quick_move,quick_move ; expect: race ; forms: o2 ; lazy: yes
//
// The operations of an object that another file has made: this file gives it its own, whichever of them. Of its two functions one takes no lock.
#include "kernel.h"

struct desk;
struct desk_ops {
    void (*move)(struct desk *desk, int by);
};
struct desk {
    spinlock_t lock;
    int place;
    const struct desk_ops *ops;
};
extern struct desk *others_desk;
int register_desk(struct desk *desk, const struct desk_ops *slow, const struct desk_ops *quick);

static void slow_move(struct desk *desk, int by)
{
    spin_lock(&desk->lock);
    desk->place++; // RACE?
    spin_unlock(&desk->lock);
}

static void quick_move(struct desk *desk, int by)
{
    desk->place += by; // RACE
}

static const struct desk_ops slow_ops = { .move = slow_move };
static const struct desk_ops quick_ops = { .move = quick_move };

static ssize_t own_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    if (others_desk->ops->move)
        others_desk->ops->move(others_desk, (int)size);
    return 0;
}

static const struct file_operations own_fops = {
    .owner = THIS_MODULE,
    .write = own_write,
};

static struct miscdevice own_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "own",
    .fops = &own_fops,
};

static int own_init(void)
{
    int error = register_desk(others_desk, &slow_ops, &quick_ops);

    return error ? error : misc_register(&own_device);
}

static void own_exit(void)
{
    misc_deregister(&own_device);
}

module_init(own_init)
module_exit(own_exit)

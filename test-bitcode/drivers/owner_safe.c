// irkiss: --tier kiss ; expect: none ; lazy: yes
//
// A pointer that only is compared: what it leads to is another object that this file has not made.
#include "kernel.h"

struct client {
    int id;
};

struct desk {
    spinlock_t lock;
    int count;
    struct client *owner;
};
extern struct desk *others_desk;
extern struct client *others_client;

static ssize_t owner_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    struct desk *desk = others_desk;

    spin_lock(&desk->lock);
    if (others_client->id && desk->owner == others_client)
        desk->count++;
    spin_unlock(&desk->lock);
    return 0;
}

static ssize_t owner_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    struct desk *desk = others_desk;

    spin_lock(&desk->lock);
    if (others_client->id && desk->owner == others_client)
        desk->count++;
    spin_unlock(&desk->lock);
    return 0;
}

static const struct file_operations owner_fops = {
    .owner = THIS_MODULE,
    .read = owner_read,
    .write = owner_write,
};

static struct miscdevice owner_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "owner",
    .fops = &owner_fops,
};

static int owner_init(void)
{
    return misc_register(&owner_device);
}

static void owner_exit(void)
{
    misc_deregister(&owner_device);
}

module_init(owner_init)
module_exit(owner_exit)

// irkiss: ; expect: none
//
// Each of four channels has a lock of its own, which who uses the channel takes: the channel is the reader's choice.
#include "kernel.h"

static struct channel {
    spinlock_t lock;
    int count;
} channels[4];

static ssize_t channel_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    struct channel *channel;

    if (size >= 4)
        return -EFAULT;
    channel = &channels[size];
    spin_lock(&channel->lock);
    channel->count++; // NORACE
    spin_unlock(&channel->lock);
    return 0;
}

static const struct file_operations channel_fops = {
    .owner = THIS_MODULE,
    .read = channel_read,
};

static struct miscdevice channel_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "channel",
    .fops = &channel_fops,
};

static int channel_init(void)
{
    return misc_register(&channel_device);
}

static void channel_exit(void)
{
    misc_deregister(&channel_device);
}

module_init(channel_init)
module_exit(channel_exit)

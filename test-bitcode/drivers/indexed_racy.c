// irkiss: ; expect: race
//
// Each of four channels has a lock of its own, which who uses the channel takes: the channel is the reader's choice.
// Who writes takes the lock of the first channel instead.
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
    channel->count++; // RACE
    spin_unlock(&channel->lock);
    return 0;
}

static ssize_t channel_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    if (size >= 4)
        return -EFAULT;
    spin_lock(&channels[0].lock);
    channels[size].count++; // RACE
    spin_unlock(&channels[0].lock);
    return 0;
}

static const struct file_operations channel_fops = {
    .owner = THIS_MODULE,
    .write = channel_write,
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

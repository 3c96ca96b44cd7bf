// irkiss: --tier kiss ; expect: race
//
// A loop that a jump enters in the middle. Who writes takes no lock.
#include "kernel.h"

static DEFINE_SPINLOCK(entries_lock);
static int entries_count;

static ssize_t entries_read(struct file *file, char __user *buffer, size_t size, loff_t *position) // RACE?
{
    int left = 2;

    spin_lock(&entries_lock);
    if (size & 1)
        goto middle;
    do {
        entries_count++; // RACE?
    middle:
        left--;
    } while (left > 0);
    spin_unlock(&entries_lock);
    return 0;
}

static ssize_t entries_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    entries_count = 0; // RACE
    return 0;
}

static const struct file_operations entries_fops = {
    .owner = THIS_MODULE,
    .read = entries_read,
    .write = entries_write,
};

static struct miscdevice entries_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "entries",
    .fops = &entries_fops,
};

static int entries_init(void)
{
    return misc_register(&entries_device);
}

static void entries_exit(void)
{
    misc_deregister(&entries_device);
}

module_init(entries_init)
module_exit(entries_exit)

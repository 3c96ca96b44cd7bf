// irkiss: ; expect: none
//
// Four buffers are used in turn; the number of the next one counts on and is masked. The table lies in an object with many bytes.
#include "kernel.h"

struct part {
    long users;
    int count;
};

static DEFINE_SPINLOCK(masked_lock);
static struct part parts[4];
static struct {
    char data[4096];
    struct part *parts[4];
} masked;

static ssize_t masked_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    struct part *part = masked.parts[size & 3];

    spin_lock(&masked_lock);
    part->count++; // NORACE
    spin_unlock(&masked_lock);
    return 0;
}

static ssize_t masked_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    struct part *part = masked.parts[size & 3];

    spin_lock(&masked_lock);
    part->count++; // NORACE
    spin_unlock(&masked_lock);
    return 0;
}

static const struct file_operations masked_fops = {
    .owner = THIS_MODULE,
    .read = masked_read,
    .write = masked_write,
};

static struct miscdevice masked_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "masked",
    .fops = &masked_fops,
};

static int masked_init(void)
{
    masked.parts[0] = &parts[0];
    masked.parts[1] = &parts[1];
    masked.parts[2] = &parts[2];
    masked.parts[3] = &parts[3];
    return misc_register(&masked_device);
}

static void masked_exit(void)
{
    misc_deregister(&masked_device);
}

module_init(masked_init)
module_exit(masked_exit)

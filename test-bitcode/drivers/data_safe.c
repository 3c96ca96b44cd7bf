// irkiss: ; expect: none
//
// Functions that write through an argument: here to memory of the caller, in the twin to memory that both share.
#include "kernel.h"

extern int kstrtouint(const char *text, unsigned int base, unsigned int *result);
extern int regmap_read(void *map, unsigned int reg, unsigned int *value);

static unsigned int shared_limit, shared_level;

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    return READ_ONCE(shared_limit) + READ_ONCE(shared_level); // NORACE
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    unsigned int limit = 0, level = 0;
    if (kstrtouint("1", 10, &limit)) // NORACE
        return -EFAULT;
    if (regmap_read(NULL, 0, &level)) // NORACE
        return -EFAULT;
    return limit + level;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .read = demo_read,
    .write = demo_write,
};

static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)

// irkiss: --tier kiss ; expect: none
//
// The only device that is there is refused, after instructions that are not modelled and a loop that the bound cuts: that is nothing
// of what the module does without a device.
#include "kernel.h"

#define ENODEV 19

struct device {
    unsigned long number;
    unsigned short size;
};
struct bus_type {
    const char *name;
    int (*probe)(struct device *device);
    void (*remove)(struct device *device);
};
int bus_register(struct bus_type *bus);
void bus_unregister(struct bus_type *bus);

static unsigned long sum;
static int opened;
static DEFINE_MUTEX(lock);

static int unit_probe(struct device *device)
{
    for (unsigned short n = 0; n < device->size; n++)
        sum += n;
    if (device->number * 3 > 40)
        __asm__ volatile("rdpmc" ::: "memory");
    return -ENODEV;
}

static void unit_remove(struct device *device)
{
    sum = 0;
}

static struct bus_type units = {
    .name = "units",
    .probe = unit_probe,
    .remove = unit_remove,
};

static ssize_t units_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    mutex_lock(&lock);
    opened++; // NORACE
    mutex_unlock(&lock);
    return 0;
}

static ssize_t units_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    int now;

    mutex_lock(&lock);
    now = opened; // NORACE
    mutex_unlock(&lock);
    return now;
}

static const struct file_operations units_fops = {
    .owner = THIS_MODULE,
    .read = units_read,
    .write = units_write,
};

static struct miscdevice units_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "units",
    .fops = &units_fops,
};

static int units_init(void)
{
    int error = bus_register(&units);

    return error ? error : misc_register(&units_device);
}

static void units_exit(void)
{
    misc_deregister(&units_device);
    bus_unregister(&units);
}

module_init(units_init)
module_exit(units_exit)

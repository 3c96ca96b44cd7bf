// irkiss: ; expect: race
//
// A module with a bus of its own: its devices come later, and none can be bound while the module is initialised. What its file
// operations do is checked on the module without a device; what its devices' functions do is not known.
#include "kernel.h"

#define ENODEV 19

struct device {
    void *driver_data;
};
struct bus_type {
    const char *name;
    int (*probe)(struct device *device);
    void (*remove)(struct device *device);
};
int bus_register(struct bus_type *bus);
void bus_unregister(struct bus_type *bus);

struct unit {
    int number;
};
struct unit *found;
static int opened, bound;

static int unit_probe(struct device *device)
{
    if (!found)
        return -ENODEV;
    bound = found->number;
    return 0;
}

static void unit_remove(struct device *device)
{
    bound = 0; // NORACE
}

static struct bus_type units = {
    .name = "units",
    .probe = unit_probe,
    .remove = unit_remove,
};

static ssize_t units_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    opened++; // RACE
    return bound; // NORACE
}

static const struct file_operations units_fops = {
    .owner = THIS_MODULE,
    .read = units_read,
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

// irkiss: ; expect: race
//
// What the firmware's code uses, too, is kept apart by the global lock of ACPI: who does not get it goes away.
#include "kernel.h"

typedef unsigned int acpi_status;
extern acpi_status acpi_acquire_global_lock(unsigned short timeout, unsigned int *handle);
extern acpi_status acpi_release_global_lock(unsigned int handle);

static int bank;

static ssize_t sensor_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    unsigned int handle = 0;
    if (acpi_acquire_global_lock(1000, &handle))
        return -EBUSY;
    int now = bank; // RACE
    acpi_release_global_lock(handle);
    return now;
}

static ssize_t sensor_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    unsigned int handle = 0;
    if (acpi_acquire_global_lock(1000, &handle))
        return -EBUSY;
    acpi_release_global_lock(handle);
    bank = size; // RACE
    return size;
}

static const struct file_operations sensor_fops = {
    .owner = THIS_MODULE,
    .read = sensor_read,
    .write = sensor_write,
};

static struct miscdevice sensor_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "sensor",
    .fops = &sensor_fops,
};

static int sensor_init(void)
{
    return misc_register(&sensor_device);
}

static void sensor_exit(void)
{
    misc_deregister(&sensor_device);
}

module_init(sensor_init)
module_exit(sensor_exit)

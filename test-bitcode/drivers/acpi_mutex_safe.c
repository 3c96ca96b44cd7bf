// irkiss: ; expect: none
//
// What the firmware's code uses, too, is kept apart by a mutex of ACPI: who does not get it goes away.
#include "kernel.h"

typedef unsigned int acpi_status;
extern acpi_status acpi_acquire_mutex(void *handle, char *path, unsigned short timeout);
extern acpi_status acpi_release_mutex(void *handle, char *path);

static void *lock_handle = &lock_handle;
static int bank;

static ssize_t sensor_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    if (acpi_acquire_mutex(lock_handle, NULL, 1000))
        return -EBUSY;
    int now = bank; // NORACE
    acpi_release_mutex(lock_handle, NULL);
    return now;
}

static ssize_t sensor_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    if (acpi_acquire_mutex(lock_handle, NULL, 1000))
        return -EBUSY;
    bank = size; // NORACE
    acpi_release_mutex(lock_handle, NULL);
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

// irkiss: ; expect: race ; lazy: yes
//
// Functions that call what they are given before they return: each writes something of its own, and no lock is held.
#include "kernel.h"

struct device;
struct device_driver;
struct acpi_resource;
struct usb_configuration {
    const char *label;
};
extern int device_for_each_child_reverse(struct device *parent, void *data, int (*each)(struct device *, void *));
extern int bus_for_each_drv(void *bus, void *start, void *data, int (*each)(struct device_driver *, void *));
extern int acpi_dev_get_resources(void *device, struct list_head *list, int (*each)(struct acpi_resource *, void *), void *data);
extern int usb_add_config(void *device, struct usb_configuration *configuration, int (*bind)(struct usb_configuration *));

int children, drivers, resources, configurations;
static struct usb_configuration demo_configuration;

static int child(struct device *dev, void *data)
{
    children++; // RACE
    return 0;
}

static int driver(struct device_driver *drv, void *data)
{
    drivers++; // RACE
    return 0;
}

static int resource(struct acpi_resource *res, void *data)
{
    resources++; // RACE
    return 0;
}

static int bind(struct usb_configuration *configuration)
{
    configurations++; // RACE
    return 0;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    struct list_head list = { &list, &list };
    device_for_each_child_reverse(file->private_data, NULL, child);
    bus_for_each_drv(file->private_data, NULL, NULL, driver);
    acpi_dev_get_resources(file->private_data, &list, resource, NULL);
    usb_add_config(file->private_data, &demo_configuration, bind);
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)

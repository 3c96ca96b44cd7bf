// irkiss: ; expect: race ; lazy: yes
//
// As notified_safe.c, but the driver installs its handler by itself, and takes it away after it has written.
#include "kernel.h"

struct acpi_device {
    void *handle;
};
struct acpi_device_ops {
    int (*add)(struct acpi_device *device);
    int (*remove)(struct acpi_device *device);
    void (*notify)(struct acpi_device *device, unsigned int event);
};
struct acpi_driver {
    const char *name;
    struct acpi_device_ops ops;
};
extern int acpi_bus_register_driver(struct acpi_driver *driver);
extern void acpi_bus_unregister_driver(struct acpi_driver *driver);
extern unsigned int acpi_install_notify_handler(void *handle, unsigned int type, void (*handler)(void *, unsigned int, void *), void *context);
extern unsigned int acpi_remove_notify_handler(void *handle, unsigned int type, void (*handler)(void *, unsigned int, void *));

static int last;

static void demo_event(void *handle, unsigned int event, void *context)
{
    WRITE_ONCE(last, event); // RACE
}

static int demo_add(struct acpi_device *device)
{
    return acpi_install_notify_handler(device->handle, 2, demo_event, NULL) ? -EBUSY : 0;
}

static int demo_remove(struct acpi_device *device)
{
    last = 0; // RACE
    acpi_remove_notify_handler(device->handle, 2, demo_event);
    return 0;
}

static struct acpi_driver demo_driver = { .name = "demo", .ops = { .add = demo_add, .remove = demo_remove } };

static int demo_init(void)
{
    return acpi_bus_register_driver(&demo_driver);
}

static void demo_exit(void)
{
    acpi_bus_unregister_driver(&demo_driver);
}

module_init(demo_init)
module_exit(demo_exit)

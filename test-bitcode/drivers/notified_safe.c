// irkiss: ; expect: none ; lazy: yes
//
// The bus takes the handler of notifications away, and waits for it, before it calls remove.
#include "kernel.h"

struct acpi_device;
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

static int last;
static int told;

static int demo_add(struct acpi_device *device)
{
    return 0;
}

static int demo_remove(struct acpi_device *device)
{
    last = 0; // NORACE
    return 0;
}

static void demo_notify(struct acpi_device *device, unsigned int event)
{
    WRITE_ONCE(last, event); // NORACE
    told++; // NORACE: one notification at a time
}

static struct acpi_driver demo_driver = { .name = "demo", .ops = { .add = demo_add, .remove = demo_remove, .notify = demo_notify } };

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

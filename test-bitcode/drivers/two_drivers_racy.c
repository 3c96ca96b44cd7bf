// irkiss: ; expect: race ; lazy: yes
//
// A module with drivers for two buses: of its one device either finds it, and the other is refused. Its operations hold no lock.
#include "kernel.h"

struct device {
    void *driver_data;
};
struct platform_device {
    const char *name;
    struct device dev;
};
struct device_driver {
    const char *name;
};
struct platform_driver {
    int (*probe)(struct platform_device *);
    struct device_driver driver;
};
struct pnp_dev {
    struct device dev;
};
struct pnp_driver {
    const char *name;
    int (*probe)(struct pnp_dev *, const void *);
};
extern int __platform_driver_register(struct platform_driver *, struct module *), pnp_register_driver(struct pnp_driver *);

static struct device *bound;
static int opened;

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    if (bound)
        opened++; // RACE
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .write = demo_write };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_bind(struct device *device)
{
    if (bound)
        return -EBUSY;
    bound = device;
    return misc_register(&demo_device);
}

static int demo_platform_probe(struct platform_device *device)
{
    return demo_bind(&device->dev);
}

static int demo_pnp_probe(struct pnp_dev *device, const void *id)
{
    return demo_bind(&device->dev);
}

static struct platform_driver demo_platform_driver = { .probe = demo_platform_probe, .driver = { .name = "demo" } };
static struct pnp_driver demo_pnp_driver = { .name = "demo", .probe = demo_pnp_probe };

static int demo_init(void)
{
    int error = pnp_register_driver(&demo_pnp_driver);
    return error ? error : __platform_driver_register(&demo_platform_driver, THIS_MODULE);
}

module_init(demo_init)

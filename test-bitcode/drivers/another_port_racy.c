// irkiss: --pair link_send,flags_store ; expect: race ; lazy: yes
//
// A core without a model makes ports: one that the driver registers and its operations are given; an attribute changes its flags
// without the lock.
#include "part_linux.h"

struct rain_port { struct mutex lock; unsigned int flags, sent; };
struct rain_port_ops { int (*send)(struct rain_port *port, unsigned int count); };
extern struct rain_port *rain_port_alloc(const char *name);
extern void rain_port_free(struct rain_port *port);
extern int rain_port_add(struct rain_port *port, const struct rain_port_ops *ops);
extern int device_create_file(struct device *dev, const struct device_attribute *attr);
extern void device_remove_file(struct device *dev, const struct device_attribute *attr);

static int link_send(struct rain_port *port, unsigned int count)
{
    mutex_lock(&port->lock);
    if (port->flags) // RACE
        port->sent += count;
    mutex_unlock(&port->lock);
    return 0;
}

static const struct rain_port_ops link_ops = { .send = link_send };

static ssize_t flags_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
    struct rain_port *port = dev_get_drvdata(dev);

    port->flags = 1; // RACE
    return (ssize_t)count;
}

static struct device_attribute dev_attr_flags = { { "flags", 0200 }, NULL, flags_store };

static int link_probe(struct platform_device *pdev)
{
    struct rain_port *port = rain_port_alloc("link");
    int error;

    if (!port)
        return -ENOMEM;
    mutex_init(&port->lock);
    port->flags = 0;
    port->sent = 0;
    platform_set_drvdata(pdev, port);
    error = rain_port_add(port, &link_ops);
    if (error) {
        rain_port_free(port);
        return error;
    }
    return device_create_file(&pdev->dev, &dev_attr_flags);
}

static int link_remove(struct platform_device *pdev)
{
    device_remove_file(&pdev->dev, &dev_attr_flags);
    return 0;
}

static struct platform_driver link_driver = { .probe = link_probe, .remove = link_remove, .driver = { .name = "link" } };

int init_module(void)
{
    return platform_driver_register(&link_driver);
}

void cleanup_module(void)
{
    platform_driver_unregister(&link_driver);
}

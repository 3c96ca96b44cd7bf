// irkiss: ; expect: race ; lazy: yes
//
// As devlink_lock_safe.c, but the driver gives the lock back too early.
#include "part_linux.h"

struct devlink;
struct devlink_ops {
	int (*info_get)(struct devlink *devlink, void *request, void *extack);
	int (*port_split)(struct devlink *devlink, void *port, unsigned int count, void *extack);
};
extern struct devlink *devlink_alloc_ns(const struct devlink_ops *ops, size_t size, void *net, struct device *dev);
extern void devlink_register(struct devlink *devlink), devlink_unregister(struct devlink *devlink);
extern void devl_lock(struct devlink *devlink), devl_unlock(struct devlink *devlink);
extern int device_create_file(struct device *device, const struct device_attribute *attribute);

static struct devlink *link;
int ports;

static int demo_info(struct devlink *devlink, void *request, void *extack)
{
	return ports; // RACE
}

static int demo_split(struct devlink *devlink, void *port, unsigned int count, void *extack)
{
	ports = count; // RACE
	return 0;
}
static const struct devlink_ops demo_ops = { .info_get = demo_info, .port_split = demo_split };

static ssize_t ports_store(struct device *dev, struct device_attribute *attribute, const char *buffer, size_t length)
{
	devl_lock(link);
	devl_unlock(link);
	ports = 1; // RACE
	return length;
}
static struct device_attribute dev_attr_ports = { .store = ports_store };

static int demo_probe(struct platform_device *pdev)
{
	link = devlink_alloc_ns(&demo_ops, 0, NULL, &pdev->dev);
	if (!link)
		return -ENOMEM;
	devlink_register(link);
	return device_create_file(&pdev->dev, &dev_attr_ports);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}

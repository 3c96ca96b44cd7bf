// irkiss: --property removed ; forms: nopass ; expect: none
//
// As managed_action_ends_fails.c, but an action of devres takes the file back when the driver is unbound.
#include "../drivers/part_linux.h"

extern int device_create_file(struct device *device, const struct device_attribute *attribute);
extern void device_remove_file(struct device *device, const struct device_attribute *attribute);

static int level;

static ssize_t level_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", level);
}

static struct device_attribute dev_attr_level = { { "level", 0400 }, level_show, NULL };

static void tank_end(void *data)
{
	device_remove_file(data, &dev_attr_level);
}

static int tank_probe(struct platform_device *pdev)
{
	int error = device_create_file(&pdev->dev, &dev_attr_level);

	if (error)
		return error;
	error = __devm_add_action(&pdev->dev, tank_end, &pdev->dev, "tank_end");
	if (error)
		device_remove_file(&pdev->dev, &dev_attr_level);
	return error;
}

static struct platform_driver tank_driver = { .probe = tank_probe, .driver = { .name = "tank" } };

int init_module(void)
{
	return platform_driver_register(&tank_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&tank_driver);
}

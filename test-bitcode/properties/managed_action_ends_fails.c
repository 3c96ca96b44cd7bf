// irkiss: --property removed ; forms: nopass ; expect: finds
//
// An action of devres that looks at the file, and does not take it back: it is read when the module has gone.
#include "../drivers/part_linux.h"

extern int device_create_file(struct device *device, const struct device_attribute *attribute);
extern void device_remove_file(struct device *device, const struct device_attribute *attribute);

static int level;

static ssize_t level_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", level); // FINDS:use-after-removal
}

static struct device_attribute dev_attr_level = { { "level", 0400 }, level_show, NULL };

static void tank_end(void *data)
{
	level = 0;
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
	platform_driver_unregister(&tank_driver); // FINDS:use-after-removal
}

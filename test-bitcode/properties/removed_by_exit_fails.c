// irkiss: --property uaf ; forms: nopass ; expect: uaf
//
// Module exit takes the driver back, whose `remove` leaves the file: what that shows is freed.
#include "../drivers/part_linux.h"

extern int device_create_file(struct device *device, const struct device_attribute *attribute);

struct table { int level; };
static struct table *table;

static ssize_t level_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", table->level); // FREED
}

static struct device_attribute dev_attr_level = { { "level", 0400 }, level_show, NULL };

static int lamp_probe(struct platform_device *pdev)
{
	return device_create_file(&pdev->dev, &dev_attr_level);
}

static int lamp_remove(struct platform_device *pdev)
{
	return 0;
}

static struct platform_driver lamp_driver = { .probe = lamp_probe, .remove = lamp_remove, .driver = { .name = "lamp" } };

int init_module(void)
{
	int error;

	table = kzalloc(sizeof(*table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	error = platform_driver_register(&lamp_driver);
	if (error)
		kfree(table);
	return error;
}

void cleanup_module(void)
{
	platform_driver_unregister(&lamp_driver);
	kfree(table);
}

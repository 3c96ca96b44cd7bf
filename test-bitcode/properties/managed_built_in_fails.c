// irkiss: --property uaf ; expect: uaf
//
// As managed_built_in_holds.c, but the file is there before the memory: devres frees the memory first.
#include "../drivers/part_linux.h"

struct meter { int value; };

static ssize_t value_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct meter *meter = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%d\n", meter ? meter->value : 0); // FREED
}

static struct device_attribute dev_attr_value = { { "value", 0444 }, value_show, NULL };
static struct attribute *meter_attrs[] = { &dev_attr_value.attr, NULL };
static const struct attribute_group meter_group = { .attrs = meter_attrs };

static int meter_probe(struct platform_device *pdev)
{
	struct meter *meter;
	int error = devm_device_add_group(&pdev->dev, &meter_group);

	if (error)
		return error;
	meter = devm_kzalloc(&pdev->dev, sizeof(*meter), GFP_KERNEL);
	if (!meter)
		return -ENOMEM;
	platform_set_drvdata(pdev, meter);
	return 0;
}

static int meter_remove(struct platform_device *pdev)
{
	return 0;
}

static struct platform_driver meter_driver = { .probe = meter_probe, .remove = meter_remove, .driver = { .name = "meter" } };

/* Built in: no call takes the driver back. */
int init_module(void)
{
	return platform_driver_register(&meter_driver);
}

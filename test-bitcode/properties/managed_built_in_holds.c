// irkiss: --property uaf ; expect: none
//
// A driver that is built in is unbound by its file in sysfs: devres takes the file back, and waits for those in it, before the memory goes.
#include "../drivers/part_linux.h"

struct meter { int value; };

static ssize_t value_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct meter *meter = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%d\n", meter->value);
}

static struct device_attribute dev_attr_value = { { "value", 0444 }, value_show, NULL };
static struct attribute *meter_attrs[] = { &dev_attr_value.attr, NULL };
static const struct attribute_group meter_group = { .attrs = meter_attrs };

static int meter_probe(struct platform_device *pdev)
{
	struct meter *meter = devm_kzalloc(&pdev->dev, sizeof(*meter), GFP_KERNEL);

	if (!meter)
		return -ENOMEM;
	platform_set_drvdata(pdev, meter);
	return devm_device_add_group(&pdev->dev, &meter_group);
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

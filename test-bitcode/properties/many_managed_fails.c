// irkiss: --property removed ; expect: finds
//
// A driver with more attributes than most: all of them go when it is unbound, and nobody ends the work item.
#include "../drivers/part_linux.h"

struct rack { struct work_struct work; int level; };

static void rack_work(struct work_struct *work) { WRITE_ONCE(container_of(work, struct rack, work)->level, 0); } // FINDS:use-after-removal

#define FAN(n) \
	static ssize_t fan##n##_show(struct device *dev, struct device_attribute *attr, char *buf) { return n; } \
	static ssize_t fan##n##_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count) { return count; } \
	static struct device_attribute dev_attr_fan##n = { { "fan" #n, 0644 }, fan##n##_show, fan##n##_store };
FAN(1) FAN(2) FAN(3) FAN(4) FAN(5) FAN(6) FAN(7) FAN(8) FAN(9) FAN(10) FAN(11)

static struct attribute *rack_attrs[] = {
	&dev_attr_fan1.attr, &dev_attr_fan2.attr, &dev_attr_fan3.attr, &dev_attr_fan4.attr, &dev_attr_fan5.attr, &dev_attr_fan6.attr,
	&dev_attr_fan7.attr, &dev_attr_fan8.attr, &dev_attr_fan9.attr, &dev_attr_fan10.attr, &dev_attr_fan11.attr, NULL
};
static const struct attribute_group rack_group = { .attrs = rack_attrs };

static int rack_probe(struct platform_device *pdev)
{
	struct rack *rack = devm_kzalloc(&pdev->dev, sizeof(*rack), GFP_KERNEL);
	int error;

	if (!rack)
		return -ENOMEM;
	INIT_WORK(&rack->work, rack_work);
	platform_set_drvdata(pdev, rack);
	error = devm_device_add_group(&pdev->dev, &rack_group);
	if (error)
		return error;
	schedule_work(&rack->work);
	return 0;
}

static struct platform_driver rack_driver = { .probe = rack_probe, .driver = { .name = "rack" } };

int init_module(void)
{
	return platform_driver_register(&rack_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&rack_driver); // FINDS:use-after-removal
}

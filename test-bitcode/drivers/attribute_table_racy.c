// irkiss: ; expect: race
//
// As attribute_table_safe.c, but of a chip with inputs.
#include "part_linux.h"

extern int sysfs_create_group(struct device *dev, const struct attribute_group *group);

static int inputs;
int limit;

static ssize_t input_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return limit; // RACE
}

static ssize_t fan_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
	if (inputs)
		WRITE_ONCE(limit, 1); // RACE
	return count;
}

static struct device_attribute input_files[2] = {
	{ { "in0", 0444 }, input_show, NULL }, { { "in1", 0444 }, input_show, NULL },
};
static struct attribute *input_attributes[] = { &input_files[0].attr, &input_files[1].attr, NULL };
static const struct attribute_group input_group = { .attrs = input_attributes };

static struct device_attribute fan_files[2] = {
	{ { "fan0", 0200 }, NULL, fan_store }, { { "fan1", 0200 }, NULL, fan_store },
};
static struct attribute *fan_attributes[2][2] = { { &fan_files[0].attr, NULL }, { &fan_files[1].attr, NULL } };
static const struct attribute_group fan_groups[2] = { { .attrs = fan_attributes[0] }, { .attrs = fan_attributes[1] } };

static int chip_probe(struct platform_device *pdev)
{
	int error = 0;

	inputs = platform_get_irq(pdev, 0) > 0;
	if (inputs)
		error = sysfs_create_group(&pdev->dev, &input_group);
	for (int i = 0; i < 2 && !error; i++)
		error = sysfs_create_group(&pdev->dev, &fan_groups[i]);
	return error;
}

static struct platform_driver chip_driver = { .probe = chip_probe, .driver = { .name = "chip" } };

int init_module(void)
{
	return platform_driver_register(&chip_driver);
}

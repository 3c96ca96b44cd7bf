// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// Attributes that stand in one array share the functions that show and store them, which are called for any of them: not only for the
// first one.
#include "part_linux.h"

extern int sysfs_create_group(struct device *dev, const struct attribute_group *group);

struct numbered {
	struct device_attribute attribute;
	int number;
};

static DEFINE_MUTEX(lock);
static int last;

static ssize_t limit_show(struct device *device, struct device_attribute *attribute, char *text)
{
	int number = container_of(attribute, struct numbered, attribute)->number, told = 0;

	mutex_lock(&lock);
	if (number == 1)
		told = last; // RACE
	mutex_unlock(&lock);
	return told;
}

static ssize_t limit_store(struct device *device, struct device_attribute *attribute, const char *text, size_t count)
{
	int number = container_of(attribute, struct numbered, attribute)->number;

	if (number != 2)
		return -EINVAL;

	last = count; // RACE

	return count;
}

static struct numbered limits[] = {
	{ { { "limit0", 0644 }, limit_show, limit_store }, 0 },
	{ { { "limit1", 0644 }, limit_show, limit_store }, 1 },
	{ { { "limit2", 0644 }, limit_show, limit_store }, 2 },
};
static struct attribute *limit_attributes[] = {
	&limits[0].attribute.attr, &limits[1].attribute.attr, &limits[2].attribute.attr, NULL,
};
static const struct attribute_group limit_group = { .attrs = limit_attributes };

static int chip_probe(struct platform_device *pdev)
{
	return sysfs_create_group(&pdev->dev, &limit_group);
}

static struct platform_driver chip_driver = { .probe = chip_probe, .driver = { .name = "chip" } };

int init_module(void)
{
	return platform_driver_register(&chip_driver);
}

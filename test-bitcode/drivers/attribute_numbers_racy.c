// irkiss: ; expect: race ; lazy: yes
//
// Attributes that differ in a number share the functions that show and store them: one entry point each, for any of the attributes. Which one it
// is decides what is touched, and two of them are about two attributes.
#include "part_linux.h"

extern int sysfs_create_group(struct device *dev, const struct attribute_group *group);

struct numbered {
	struct device_attribute attribute;
	int number;
};

static DEFINE_MUTEX(lock);
static int limits[4];
static int last;

static ssize_t limit_show(struct device *device, struct device_attribute *attribute, char *text)
{
	int number = container_of(attribute, struct numbered, attribute)->number, limit;

	if (number == 3)
		return limits[3]; // RACE
	if (number == 1)
		return last; // RACE
	mutex_lock(&lock);
	limit = limits[number]; // NORACE
	mutex_unlock(&lock);
	return limit;
}

static ssize_t limit_store(struct device *device, struct device_attribute *attribute, const char *text, size_t count)
{
	int number = container_of(attribute, struct numbered, attribute)->number;

	mutex_lock(&lock);
	if (number == 3)
		limits[3] = 1; // RACE
	else if (number == 2)
		last = number; // RACE
	else
		limits[number] = 1; // NORACE
	mutex_unlock(&lock);
	return count;
}

static struct numbered limit0 = { { { "limit0", 0644 }, limit_show, limit_store }, 0 };
static struct numbered limit1 = { { { "limit1", 0644 }, limit_show, limit_store }, 1 };
static struct numbered limit2 = { { { "limit2", 0644 }, limit_show, limit_store }, 2 };
static struct numbered limit3 = { { { "limit3", 0644 }, limit_show, limit_store }, 3 };
static struct attribute *limit_attributes[] = {
	&limit0.attribute.attr, &limit1.attribute.attr, &limit2.attribute.attr, &limit3.attribute.attr, NULL,
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

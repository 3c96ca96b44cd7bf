// irkiss: ; expect: none ; lazy: yes
//
// As hwmon_table_racy.c, but who shows the limit takes the lock, too.
#include "part_linux.h"

extern struct device *devm_hwmon_device_register_with_groups(struct device *device, const char *name, void *data,
							     const struct attribute_group **groups);

struct chip {
	struct mutex lock;
	const struct attribute_group *groups[3];
	long limit;
};

static ssize_t limit_show(struct device *device, struct device_attribute *attribute, char *text)
{
	struct chip *chip = dev_get_drvdata(device);
	long limit;

	mutex_lock(&chip->lock);
	limit = chip->limit; // NORACE
	mutex_unlock(&chip->lock);
	return sysfs_emit(text, "%ld\n", limit);
}

static ssize_t limit_store(struct device *device, struct device_attribute *attribute, const char *text, size_t count)
{
	struct chip *chip = dev_get_drvdata(device);
	mutex_lock(&chip->lock);
	chip->limit = count; // NORACE
	mutex_unlock(&chip->lock);
	return count;
}

static struct device_attribute dev_attr_limit = { .attr = { .name = "limit", .mode = 0644 }, .show = limit_show, .store = limit_store };
static struct attribute *limit_attrs[] = { &dev_attr_limit.attr, NULL };
static const struct attribute_group limit_group = { .attrs = limit_attrs };
static struct attribute *no_attrs[] = { NULL };
static const struct attribute_group no_group = { .attrs = no_attrs };

static int chip_probe(struct platform_device *pdev)
{
	struct chip *chip = devm_kzalloc(&pdev->dev, sizeof(*chip), GFP_KERNEL);
	struct device *monitor;
	int groups = 0;

	if (!chip)
		return -ENOMEM;
	mutex_init(&chip->lock);
	if (pdev->id)
		chip->groups[groups++] = &no_group;
	chip->groups[groups++] = &limit_group;
	monitor = devm_hwmon_device_register_with_groups(&pdev->dev, "chip", chip, chip->groups);
	return IS_ERR(monitor) ? PTR_ERR(monitor) : 0;
}

static struct platform_driver chip_driver = { .probe = chip_probe, .driver = { .name = "chip" } };

int init_module(void)
{
	return platform_driver_register(&chip_driver);
}

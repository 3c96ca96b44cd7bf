// irkiss: --property uaf ; expect: uaf
//
// Who holds a lock that sleeps is no reader: no grace period waits for that. The twin is spin_reader_safe.c.
#include "part_linux.h"

extern void synchronize_rcu(void);
extern int sysfs_create_group(struct device *dev, const struct attribute_group *group);

struct limits {
	int high;
};

struct chip {
	struct mutex lock;
	struct mutex seen;
	struct limits *limits;
};

static ssize_t high_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct chip *chip = dev_get_drvdata(dev);
	ssize_t high;

	mutex_lock(&chip->seen);
	high = READ_ONCE(READ_ONCE(chip->limits)->high); // FREED
	mutex_unlock(&chip->seen);
	return high;
}

static ssize_t high_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
	struct chip *chip = dev_get_drvdata(dev);
	struct limits *limits = kzalloc(sizeof(*limits), GFP_KERNEL), *old;

	if (!limits)
		return -ENOMEM;
	mutex_lock(&chip->lock);
	old = chip->limits;
	WRITE_ONCE(chip->limits, limits);
	mutex_unlock(&chip->lock);
	synchronize_rcu();
	kfree(old);
	return count;
}

static struct device_attribute high_file = { { "high", 0644 }, high_show, high_store };
static struct attribute *chip_attributes[] = { &high_file.attr, NULL };
static const struct attribute_group chip_group = { .attrs = chip_attributes };

static int chip_probe(struct platform_device *pdev)
{
	struct chip *chip = devm_kzalloc(&pdev->dev, sizeof(*chip), GFP_KERNEL);

	if (!chip)
		return -ENOMEM;
	chip->limits = kzalloc(sizeof(*chip->limits), GFP_KERNEL);
	if (!chip->limits)
		return -ENOMEM;
	mutex_init(&chip->lock);
	mutex_init(&chip->seen);
	platform_set_drvdata(pdev, chip);
	return sysfs_create_group(&pdev->dev, &chip_group);
}

static struct platform_driver chip_driver = { .probe = chip_probe, .driver = { .name = "chip" } };

int init_module(void)
{
	return platform_driver_register(&chip_driver);
}

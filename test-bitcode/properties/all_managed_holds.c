// irkiss: --property removed ; expect: none
//
// No remove function: everything is made with devm_…(), and platform_driver_unregister() releases it (the files are gone and none of their
// functions runs any more when it returns).
#include "../drivers/part_linux.h"

struct tank { struct mutex lock; int level; };

static ssize_t level_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct tank *tank = dev_get_drvdata(dev);
	int level;

	mutex_lock(&tank->lock);
	level = tank->level;
	mutex_unlock(&tank->lock);
	return sysfs_emit(buf, "%d\n", level);
}

static ssize_t level_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
	struct tank *tank = dev_get_drvdata(dev);
	int level, error = kstrtoint(buf, 10, &level);

	if (error)
		return error;
	mutex_lock(&tank->lock);
	tank->level = level;
	mutex_unlock(&tank->lock);
	return count;
}

static struct device_attribute dev_attr_level = { { "level", 0644 }, level_show, level_store };
static struct attribute *tank_attrs[] = { &dev_attr_level.attr, NULL };
static const struct attribute_group tank_group = { .attrs = tank_attrs };

static int tank_probe(struct platform_device *pdev)
{
	struct tank *tank = devm_kzalloc(&pdev->dev, sizeof(*tank), GFP_KERNEL);

	if (!tank)
		return -ENOMEM;
	mutex_init(&tank->lock);
	platform_set_drvdata(pdev, tank);
	return devm_device_add_group(&pdev->dev, &tank_group);
}

static struct platform_driver tank_driver = { .probe = tank_probe, .driver = { .name = "tank" } };

int init_module(void)
{
	return platform_driver_register(&tank_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&tank_driver);
}

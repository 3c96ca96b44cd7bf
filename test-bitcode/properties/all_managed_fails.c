// irkiss: --property removed ; expect: finds ; forms: nopass
//
// As all_managed_holds.c, but nobody takes the file back.
#include "../drivers/part_linux.h"

struct tank { struct mutex lock; int level; };

static ssize_t level_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct tank *tank = dev_get_drvdata(dev); // FINDS:use-after-removal
	int level;

	mutex_lock(&tank->lock);
	level = tank->level;
	mutex_unlock(&tank->lock);
	return sysfs_emit(buf, "%d\n", level); // FINDS:use-after-removal
}

static ssize_t level_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count) // FINDS:use-after-removal
{
	struct tank *tank = dev_get_drvdata(dev);
	int level, error = kstrtoint(buf, 10, &level); // FINDS:use-after-removal

	if (error)
		return error;
	mutex_lock(&tank->lock);
	tank->level = level;
	mutex_unlock(&tank->lock);
	return count;
}

static struct device_attribute dev_attr_level = { { "level", 0644 }, level_show, level_store };
extern int device_create_file(struct device *dev, const struct device_attribute *attr);
static struct attribute *tank_attrs[] = { &dev_attr_level.attr, NULL };
static const struct attribute_group tank_group = { .attrs = tank_attrs };

static int tank_probe(struct platform_device *pdev)
{
	struct tank *tank = devm_kzalloc(&pdev->dev, sizeof(*tank), GFP_KERNEL);

	if (!tank)
		return -ENOMEM;
	mutex_init(&tank->lock);
	platform_set_drvdata(pdev, tank);
	return device_create_file(&pdev->dev, &dev_attr_level);
}

static struct platform_driver tank_driver = { .probe = tank_probe, .driver = { .name = "tank" } };

int init_module(void)
{
	return platform_driver_register(&tank_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&tank_driver); // FINDS:use-after-removal
}

// irkiss: ; expect: none ; lazy: yes
//
// As hwmon_device_racy.c, but who reads takes the lock, too.
#include "part_linux.h"

enum hwmon_sensor_types { hwmon_chip, hwmon_temp };
struct hwmon_ops {
	unsigned short (*is_visible)(const void *data, enum hwmon_sensor_types type, unsigned int attribute, int channel);
	int (*read)(struct device *device, enum hwmon_sensor_types type, unsigned int attribute, int channel, long *value);
	int (*write)(struct device *device, enum hwmon_sensor_types type, unsigned int attribute, int channel, long value);
};
struct hwmon_chip_info {
	const struct hwmon_ops *ops;
	const void *info;
};
extern struct device *devm_hwmon_device_register_with_info(struct device *device, const char *name, void *data,
							   const struct hwmon_chip_info *chip, const struct attribute_group **groups);

struct chip {
	struct mutex lock;
	long limit;
};

static int chip_read(struct device *device, enum hwmon_sensor_types type, unsigned int attribute, int channel, long *value)
{
	struct chip *chip = dev_get_drvdata(device);
	mutex_lock(&chip->lock);
	*value = chip->limit; // NORACE
	mutex_unlock(&chip->lock);
	return 0;
}

static int chip_write(struct device *device, enum hwmon_sensor_types type, unsigned int attribute, int channel, long value)
{
	struct chip *chip = dev_get_drvdata(device);
	mutex_lock(&chip->lock);
	chip->limit += value; // NORACE
	mutex_unlock(&chip->lock);
	return 0;
}

static const struct hwmon_ops chip_ops = { .read = chip_read, .write = chip_write };
static const struct hwmon_chip_info chip_info = { .ops = &chip_ops };

static int chip_probe(struct platform_device *pdev)
{
	struct chip *chip = devm_kzalloc(&pdev->dev, sizeof(*chip), GFP_KERNEL);
	struct device *monitor;
	if (!chip)
		return -ENOMEM;
	mutex_init(&chip->lock);
	monitor = devm_hwmon_device_register_with_info(&pdev->dev, "chip", chip, &chip_info, NULL);
	return IS_ERR(monitor) ? PTR_ERR(monitor) : 0;
}

static struct platform_driver chip_driver = { .probe = chip_probe, .driver = { .name = "chip" } };

int init_module(void)
{
	return platform_driver_register(&chip_driver);
}

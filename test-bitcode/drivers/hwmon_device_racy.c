// irkiss: ; expect: race ; lazy: yes
//
// Hardware monitoring makes a device of its own, with the data that it was given: what its operations and groups get is that one. The
// driver keeps nothing in its own device.
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
	*value = chip->limit; // RACE
	return 0;
}

static int chip_write(struct device *device, enum hwmon_sensor_types type, unsigned int attribute, int channel, long value)
{
	struct chip *chip = dev_get_drvdata(device);
	mutex_lock(&chip->lock);
	chip->limit += value; // RACE
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

// irkiss: ; expect: race ; lazy: yes
//
// As sensor_gone_safe.c, but the power goes first.
#include "part_linux.h"

struct iio_chan_spec { int type, channel; };
struct iio_info;
struct iio_dev {
	int modes;
	struct device dev;
	struct mutex mlock;
	const struct iio_info *info;
	void *priv;
};
struct iio_info {
	int (*read_raw)(struct iio_dev *indio_dev, const struct iio_chan_spec *chan, int *val, int *val2, long mask);
};
extern struct iio_dev *devm_iio_device_alloc(struct device *parent, int size);
extern int __iio_device_register(struct iio_dev *indio_dev, struct module *owner);
extern void iio_device_unregister(struct iio_dev *indio_dev);

static struct iio_dev *sensor;
int power;

static int adc_read(struct iio_dev *indio_dev, const struct iio_chan_spec *chan, int *val, int *val2, long mask)
{
	*val = power; // RACE
	return 1;
}

static const struct iio_info adc_info = { .read_raw = adc_read };

static int adc_probe(struct platform_device *pdev)
{
	sensor = devm_iio_device_alloc(&pdev->dev, 0);
	if (!sensor)
		return -ENOMEM;
	sensor->info = &adc_info;
	return __iio_device_register(sensor, THIS_MODULE);
}

static int adc_remove(struct platform_device *pdev)
{
	power = 0; // RACE
	iio_device_unregister(sensor);
	return 0;
}

static struct platform_driver adc_driver = { .probe = adc_probe, .remove = adc_remove, .driver = { .name = "adc" } };

int init_module(void)
{
	return platform_driver_register(&adc_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&adc_driver);
}

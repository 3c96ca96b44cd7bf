// irkiss: ; expect: none ; lazy: yes
//
// While the system sleeps nobody reads the sampling frequency of a sensor (mask 12): that is an attribute, and processes are frozen.
#include "platform.h"

struct iio_chan_spec { int type, channel; };
struct iio_info;
struct iio_dev {
	int modes;
	struct device dev;
	const struct iio_info *info;
};
struct iio_info {
	int (*read_raw)(struct iio_dev *indio_dev, const struct iio_chan_spec *chan, int *val, int *val2, long mask);
};
extern struct iio_dev *devm_iio_device_alloc(struct device *parent, int size);
extern int __devm_iio_device_register(struct device *dev, struct iio_dev *indio_dev, struct module *owner);

int rate, last;

static int adc_read(struct iio_dev *indio_dev, const struct iio_chan_spec *chan, int *val, int *val2, long mask)
{
	if (mask != 12)
		return -5;
	*val = rate; // NORACE
	return 1;
}

static const struct iio_info adc_info = { .read_raw = adc_read };

static int adc_suspend(struct device *device)
{
	rate = 0; // NORACE
	return 0;
}

static const struct dev_pm_ops adc_pm = { .suspend = adc_suspend };

static int adc_probe(struct platform_device *pdev)
{
	struct iio_dev *sensor = devm_iio_device_alloc(&pdev->dev, 0);

	if (!sensor)
		return -ENOMEM;
	sensor->info = &adc_info;
	return __devm_iio_device_register(&pdev->dev, sensor, THIS_MODULE);
}

static struct platform_driver adc_driver = { .probe = adc_probe, .driver = { .name = "adc", .pm = &adc_pm } };

PLATFORM_MODULE(adc_driver)

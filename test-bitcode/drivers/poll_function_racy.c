// irkiss: ; expect: race ; lazy: yes
//
// The thread of a device's poll function gets the device whose values others read, without its lock.
#include "part_linux.h"

struct iio_chan_spec { int type, channel; };
struct iio_info;
struct iio_dev {
	int modes;
	struct device dev;
	const struct iio_info *info;
	void *priv;
};
struct iio_poll_func {
	struct iio_dev *indio_dev;
	int (*h)(int irq, void *p);
	int (*thread)(int irq, void *p);
};
struct iio_info {
	int (*read_raw)(struct iio_dev *indio_dev, const struct iio_chan_spec *chan, int *val, int *val2, long mask);
};
extern struct iio_dev *devm_iio_device_alloc(struct device *parent, int size);
extern int __devm_iio_device_register(struct device *dev, struct iio_dev *indio_dev, struct module *owner);
extern int devm_iio_triggered_buffer_setup_ext(struct device *dev, struct iio_dev *indio_dev, int (*h)(int irq, void *p),
					       int (*thread)(int irq, void *p), int direction, const void *ops, const void *attrs);

struct adc { struct mutex lock; int runs; int sum; };

static int adc_thread(int irq, void *p)
{
	struct iio_poll_func *poll = p;
	struct adc *adc = poll->indio_dev->priv;

	adc->runs++; // NORACE
	mutex_lock(&adc->lock);
	adc->sum += adc->runs; // RACE
	mutex_unlock(&adc->lock);
	return 1;
}

static int adc_read(struct iio_dev *indio_dev, const struct iio_chan_spec *chan, int *val, int *val2, long mask)
{
	struct adc *adc = indio_dev->priv;

	*val = adc->sum; // RACE
	return 1;
}

static const struct iio_info adc_info = { .read_raw = adc_read };

static int adc_probe(struct platform_device *pdev)
{
	struct iio_dev *indio_dev = devm_iio_device_alloc(&pdev->dev, sizeof(struct adc));
	struct adc *adc;
	int error;

	if (!indio_dev)
		return -ENOMEM;
	adc = indio_dev->priv;
	mutex_init(&adc->lock);
	indio_dev->info = &adc_info;
	error = devm_iio_triggered_buffer_setup_ext(&pdev->dev, indio_dev, NULL, adc_thread, 0, NULL, NULL);
	if (error)
		return error;
	return __devm_iio_device_register(&pdev->dev, indio_dev, THIS_MODULE);
}

static struct platform_driver adc_driver = { .probe = adc_probe, .driver = { .name = "adc" } };

int init_module(void)
{
	return platform_driver_register(&adc_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&adc_driver);
}

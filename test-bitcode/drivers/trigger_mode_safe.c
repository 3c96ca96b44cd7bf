// irkiss: ; expect: none ; lazy: yes
//
// Who has claimed direct mode keeps away what a trigger calls: that runs while a buffer is on.
#include "part_linux.h"

struct iio_chan_spec { int type, channel; };
struct iio_info;
struct iio_poll_func;
struct iio_dev {
	int modes;
	struct device dev;
	struct mutex mlock;
	struct iio_poll_func *pollfunc, *pollfunc_event;
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
extern int iio_device_claim_direct_mode(struct iio_dev *indio_dev), iio_device_claim_buffer_mode(struct iio_dev *indio_dev);
extern void iio_device_release_direct_mode(struct iio_dev *indio_dev), iio_device_release_buffer_mode(struct iio_dev *indio_dev);

struct adc { int sum, last, seen; } adc;

static int adc_top(int irq, void *p)
{
	adc.seen++; // NORACE
	return 2;
}

static int adc_thread(int irq, void *p)
{
	adc.sum += adc.last; // NORACE
	return 1;
}

static int adc_read(struct iio_dev *indio_dev, const struct iio_chan_spec *chan, int *val, int *val2, long mask)
{
	int error = iio_device_claim_direct_mode(indio_dev);

	if (error)
		return error;
	*val = adc.sum; // NORACE
	*val2 = adc.seen; // NORACE
	iio_device_release_direct_mode(indio_dev);
	return 1;
}

static const struct iio_info adc_info = { .read_raw = adc_read };

static int adc_probe(struct platform_device *pdev)
{
	struct iio_dev *indio_dev = devm_iio_device_alloc(&pdev->dev, 0);
	int error;

	if (!indio_dev)
		return -ENOMEM;
	indio_dev->info = &adc_info;
	error = devm_iio_triggered_buffer_setup_ext(&pdev->dev, indio_dev, adc_top, adc_thread, 0, NULL, NULL);
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

// irkiss: ; expect: race ; lazy: yes
//
// As own_trigger_safe.c, but other devices may have the trigger, too: each switches it under its own lock.
#include "direct_mode.h"

struct iio_trigger;
struct iio_trigger_ops {
	int (*set_trigger_state)(struct iio_trigger *trig, _Bool state);
	void (*reenable)(struct iio_trigger *trig);
	int (*validate_device)(struct iio_trigger *trig, struct iio_dev *indio_dev);
};
struct iio_trigger {
	const struct iio_trigger_ops *ops;
	struct device dev;
	void *drvdata;
};
extern struct iio_trigger *devm_iio_trigger_alloc(struct device *parent, const char *name);
extern int devm_iio_trigger_register(struct device *dev, struct iio_trigger *trig);
extern int iio_trigger_validate_own_device(struct iio_trigger *trig, struct iio_dev *indio_dev);

static int on, scans;

static int adc_set_state(struct iio_trigger *trig, _Bool state)
{
	on = state; // RACE
	scans++; // RACE
	return 0;
}

static const struct iio_trigger_ops adc_trigger_ops = { .set_trigger_state = adc_set_state };

static int adc_scan(struct iio_dev *indio_dev, const unsigned long *mask)
{
	scans = on; // RACE
	return 0;
}

static const struct iio_info adc_info = { .update_scan_mode = adc_scan };

static int adc_probe(struct platform_device *pdev)
{
	struct iio_dev *indio_dev = devm_iio_device_alloc(&pdev->dev, sizeof(struct adc));
	struct iio_trigger *trig = devm_iio_trigger_alloc(&pdev->dev, "adc");

	if (!indio_dev || !trig)
		return -ENOMEM;
	indio_dev->info = &adc_info;
	trig->ops = &adc_trigger_ops;
	if (devm_iio_trigger_register(&pdev->dev, trig))
		return -ENOMEM;
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

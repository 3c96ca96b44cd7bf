// irkiss: --property removed ; forms: nopass ; expect: finds ; lazy: yes
//
// As buffer_off_holds.c, but predisable does not wait for the timer.
#include "../drivers/part_linux.h"

struct iio_dev;
struct iio_buffer_setup_ops {
	int (*preenable)(struct iio_dev *indio_dev);
	int (*postenable)(struct iio_dev *indio_dev);
	int (*predisable)(struct iio_dev *indio_dev);
	int (*postdisable)(struct iio_dev *indio_dev);
	bool (*validate_scan_mask)(struct iio_dev *indio_dev, const unsigned long *scan_mask);
};
struct iio_info { int unused; };
struct iio_dev {
	int modes;
	struct device dev;
	struct mutex mlock;
	const struct iio_info *info;
	const struct iio_buffer_setup_ops *setup_ops;
	void *priv;
};
extern struct iio_dev *devm_iio_device_alloc(struct device *parent, int size);
extern int __iio_device_register(struct iio_dev *indio_dev, struct module *owner);
extern void iio_device_unregister(struct iio_dev *indio_dev);
extern int del_timer(struct timer_list *timer);
extern unsigned int readl(const volatile void *address);
static inline void *iio_priv(const struct iio_dev *indio_dev) { return indio_dev->priv; }

struct adc { struct timer_list poll; unsigned char *base; int last; };

static void adc_poll(struct timer_list *timer)
{
	struct adc *adc = container_of(timer, struct adc, poll);

	adc->last = readl(adc->base); // FINDS:use-after-removal
}

static int adc_postenable(struct iio_dev *indio_dev)
{
	struct adc *adc = iio_priv(indio_dev);

	mod_timer(&adc->poll, 10);
	return 0;
}

static int adc_predisable(struct iio_dev *indio_dev)
{
	struct adc *adc = iio_priv(indio_dev);

	del_timer(&adc->poll); // FINDS:use-after-removal
	return 0;
}

static const struct iio_buffer_setup_ops adc_setup_ops = { .postenable = adc_postenable, .predisable = adc_predisable };
static const struct iio_info adc_info;

static int adc_probe(struct platform_device *pdev)
{
	struct iio_dev *indio_dev = devm_iio_device_alloc(&pdev->dev, sizeof(struct adc));
	struct adc *adc;

	if (!indio_dev)
		return -ENOMEM;
	adc = iio_priv(indio_dev);
	timer_setup(&adc->poll, adc_poll, 0);
	indio_dev->info = &adc_info;
	indio_dev->setup_ops = &adc_setup_ops;
	platform_set_drvdata(pdev, indio_dev);
	return __iio_device_register(indio_dev, THIS_MODULE);
}

static int adc_remove(struct platform_device *pdev)
{
	iio_device_unregister(platform_get_drvdata(pdev));
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

/* What registers the functions of direct_mode_*.c. */
static const struct iio_info adc_info = { .read_raw = adc_read, .write_raw = adc_write, .update_scan_mode = adc_scan };

static int adc_probe(struct platform_device *pdev)
{
	struct iio_dev *indio_dev = devm_iio_device_alloc(&pdev->dev, sizeof(struct adc));

	if (!indio_dev)
		return -ENOMEM;
	indio_dev->info = &adc_info;
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

// irkiss: ; expect: none ; lazy: yes
//
// What is done while a buffer is on is never done beside what claims direct mode.
#include "direct_mode.h"

extern bool iio_buffer_enabled(struct iio_dev *indio_dev);

static DEFINE_MUTEX(write_lock);

static int adc_read(struct iio_dev *indio_dev, const struct iio_chan_spec *chan, int *val, int *val2, long mask)
{
	struct adc *adc = iio_priv(indio_dev);
	int error = iio_device_claim_direct_mode(indio_dev);

	if (error)
		return error;
	adc->last++; // NORACE
	*val = adc->last;
	iio_device_release_direct_mode(indio_dev);
	return 1;
}

static int adc_write(struct iio_dev *indio_dev, const struct iio_chan_spec *chan, int val, int val2, long mask)
{
	struct adc *adc = iio_priv(indio_dev);

	mutex_lock(&write_lock);
	if (iio_buffer_enabled(indio_dev))
		adc->last = val; // NORACE
	mutex_unlock(&write_lock);
	return 0;
}

static int adc_scan(struct iio_dev *indio_dev, const unsigned long *mask)
{
	return 0;
}

#include "direct_mode_driver.h"

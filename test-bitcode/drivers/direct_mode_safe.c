// irkiss: ; expect: none ; lazy: yes
//
// What uses the converter is in direct mode, or runs while a buffer is turned on, with mlock held, as a mode is claimed.
#include "direct_mode.h"

static int adc_read(struct iio_dev *indio_dev, const struct iio_chan_spec *chan, int *val, int *val2, long mask)
{
	struct adc *adc = iio_priv(indio_dev);
	int error;

	if (mask) {
		error = iio_device_claim_buffer_mode(indio_dev);
		if (error)
			return error;
		*val = adc->channels;
		iio_device_release_buffer_mode(indio_dev);
		return 1;
	}
	error = iio_device_claim_direct_mode(indio_dev);
	if (error)
		return error;
	*val = adc->last + adc->channels;
	iio_device_release_direct_mode(indio_dev);
	return 1;
}

static int adc_write(struct iio_dev *indio_dev, const struct iio_chan_spec *chan, int val, int val2, long mask)
{
	struct adc *adc = iio_priv(indio_dev);
	int error = iio_device_claim_direct_mode(indio_dev);

	if (error)
		return error;
	adc->last = val;
	iio_device_release_direct_mode(indio_dev);
	return 0;
}

static int adc_scan(struct iio_dev *indio_dev, const unsigned long *mask)
{
	struct adc *adc = iio_priv(indio_dev);

	adc->channels = (int)*mask;
	return 0;
}

#include "direct_mode_driver.h"

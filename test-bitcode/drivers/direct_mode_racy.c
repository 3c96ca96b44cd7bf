// irkiss: ; expect: race ; lazy: yes
//
// What is written in direct mode is read in none, and what is read in buffer mode is written in none.
#include "direct_mode.h"

static int adc_read(struct iio_dev *indio_dev, const struct iio_chan_spec *chan, int *val, int *val2, long mask)
{
	struct adc *adc = iio_priv(indio_dev);

	*val2 = adc->channels; // RACE
	if (iio_device_claim_buffer_mode(indio_dev))
		return -EBUSY;
	iio_device_release_buffer_mode(indio_dev);
	if (iio_device_claim_buffer_mode(indio_dev))
		return -EBUSY;
	*val = adc->last; // RACE
	iio_device_release_buffer_mode(indio_dev);
	return 1;
}

static int adc_write(struct iio_dev *indio_dev, const struct iio_chan_spec *chan, int val, int val2, long mask)
{
	struct adc *adc = iio_priv(indio_dev);

	adc->last = val; // RACE
	if (iio_device_claim_direct_mode(indio_dev))
		return -EBUSY;
	iio_device_release_direct_mode(indio_dev);
	if (iio_device_claim_direct_mode(indio_dev))
		return -EBUSY;
	adc->channels = val2; // RACE
	iio_device_release_direct_mode(indio_dev);
	return 0;
}

static int adc_scan(struct iio_dev *indio_dev, const unsigned long *mask)
{
	struct adc *adc = iio_priv(indio_dev);

	adc->scans = (int)*mask;
	return 0;
}

#include "direct_mode_driver.h"

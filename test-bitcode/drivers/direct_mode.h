/* Industrial I/O, for direct_mode_*.c. */
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
	int (*write_raw)(struct iio_dev *indio_dev, const struct iio_chan_spec *chan, int val, int val2, long mask);
	int (*update_scan_mode)(struct iio_dev *indio_dev, const unsigned long *mask);
};
extern struct iio_dev *devm_iio_device_alloc(struct device *parent, int size);
extern int __devm_iio_device_register(struct device *dev, struct iio_dev *indio_dev, struct module *owner);
extern int iio_device_claim_direct_mode(struct iio_dev *indio_dev);
extern void iio_device_release_direct_mode(struct iio_dev *indio_dev);
extern int iio_device_claim_buffer_mode(struct iio_dev *indio_dev);
extern void iio_device_release_buffer_mode(struct iio_dev *indio_dev);
static inline void *iio_priv(const struct iio_dev *indio_dev) { return indio_dev->priv; }

struct adc { int last, channels, scans; };

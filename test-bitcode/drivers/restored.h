/* The bus of virtio, for restored_*.c. */
#include "part_linux.h"

struct virtio_device { int index; struct device dev; void *priv; };
struct virtio_driver {
	struct device_driver driver;
	int (*probe)(struct virtio_device *device);
	void (*remove)(struct virtio_device *device);
	int (*freeze)(struct virtio_device *device);
	int (*restore)(struct virtio_device *device);
};
extern int register_virtio_driver(struct virtio_driver *driver);

// irkiss: ; expect: unknown ; reason: who uses a DMA channel calls engine_issue (dma_device.device_issue_pending), engine_prepare (dma_device.device_prep_slave_sg) ; lazy: yes
//
// A channel that is prepared for a device has one user, which starts what it has prepared: that the two race where they run beside each
// other is no evidence that they do.
#include "part_linux.h"

struct dma_chan;
struct dma_device {
	struct device *dev;
	int (*device_alloc_chan_resources)(struct dma_chan *channel);
	void *(*device_prep_slave_sg)(struct dma_chan *channel, void *list, unsigned int count, int direction, unsigned long flags, void *context);
	void (*device_issue_pending)(struct dma_chan *channel);
};
extern int dma_async_device_register(struct dma_device *device);

static unsigned int mode, left;

static int engine_alloc(struct dma_chan *channel)
{
	return 0;
}

static void *engine_prepare(struct dma_chan *channel, void *list, unsigned int count, int direction, unsigned long flags, void *context)
{
	mode = count;
	return NULL;
}

static void engine_issue(struct dma_chan *channel)
{
	if (READ_ONCE(left) == 0)
		WRITE_ONCE(left, mode);
}

static struct dma_device engine = {
	.device_alloc_chan_resources = engine_alloc, .device_prep_slave_sg = engine_prepare, .device_issue_pending = engine_issue,
};

static int engine_probe(struct platform_device *pdev)
{
	return dma_async_device_register(&engine);
}

static struct platform_driver engine_driver = { .probe = engine_probe, .driver = { .name = "engine" } };

int init_module(void)
{
	return platform_driver_register(&engine_driver);
}

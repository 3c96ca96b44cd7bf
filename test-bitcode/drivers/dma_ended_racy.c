// irkiss: --pair stop_store,demo_period ; forms: nopass ; expect: race ; lazy: yes
//
// As dma_ended_safe.c, but a transfer is ended and nobody waits for what runs at its end.
#include "part_linux.h"
#include "dma.h"

extern int device_create_file(struct device *device, const struct device_attribute *attribute);

struct demo {
	struct dma_chan *channel;
	struct mutex lock;
	int busy, stopped;
};

static void demo_period(void *data)
{
	struct demo *demo = data;
	demo->stopped++; // RACE
}

static int start(struct demo *demo)
{
	struct dma_chan *channel = demo->channel;
	struct dma_async_tx_descriptor *transfer;
	if (demo->busy)
		return -EBUSY;
	transfer = channel->device->device_prep_dma_cyclic(channel, 0, 64, 64, 1, 0);
	if (!transfer)
		return -EIO;
	transfer->callback = demo_period;
	transfer->callback_param = demo;
	transfer->tx_submit(transfer);
	demo->busy = 1;
	channel->device->device_issue_pending(channel);
	return 0;
}

static ssize_t start_store(struct device *device, struct device_attribute *attribute, const char *text, size_t size)
{
	struct demo *demo = dev_get_drvdata(device);
	mutex_lock(&demo->lock);
	start(demo);
	mutex_unlock(&demo->lock);
	return size;
}

/* As include/linux/dmaengine.h has them. */
static inline int dmaengine_terminate_async(struct dma_chan *channel)
{
	return channel->device->device_terminate_all(channel);
}

static ssize_t stop_store(struct device *device, struct device_attribute *attribute, const char *text, size_t size)
{
	struct demo *demo = dev_get_drvdata(device);
	mutex_lock(&demo->lock);
	dmaengine_terminate_async(demo->channel);
	demo->stopped = -1; // RACE
	mutex_unlock(&demo->lock);
	return size;
}

static struct device_attribute dev_attr_start = { { "start", 0200 }, NULL, start_store };
static struct device_attribute dev_attr_stop = { { "stop", 0200 }, NULL, stop_store };

static int demo_probe(struct platform_device *pdev)
{
	struct demo *demo = devm_kzalloc(&pdev->dev, sizeof(*demo), GFP_KERNEL);
	if (!demo)
		return -ENOMEM;
	mutex_init(&demo->lock);
	demo->channel = dma_request_chan(&pdev->dev, "rx");
	if (IS_ERR(demo->channel))
		return PTR_ERR(demo->channel);
	platform_set_drvdata(pdev, demo);
	device_create_file(&pdev->dev, &dev_attr_stop);
	return device_create_file(&pdev->dev, &dev_attr_start);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}

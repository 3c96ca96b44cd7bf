// irkiss: ; expect: race ; lazy: yes
//
// As dma_channel_safe.c, but the tasklet does not take the lock.
#include "part_linux.h"

struct dma_device;
struct dma_chan { struct dma_device *device; int cookie; struct list_head device_node; };
struct dma_device {
	unsigned int chancnt;
	struct list_head channels;
	struct device *dev;
	void (*device_issue_pending)(struct dma_chan *channel);
};
struct tasklet_struct { struct tasklet_struct *next; unsigned long state; atomic_t count; bool use_callback; union { void (*func)(unsigned long); void (*callback)(struct tasklet_struct *); }; unsigned long data; };
extern int dma_async_device_register(struct dma_device *device);
extern void dma_async_device_unregister(struct dma_device *device);
extern void tasklet_setup(struct tasklet_struct *tasklet, void (*callback)(struct tasklet_struct *));
extern void __tasklet_schedule(struct tasklet_struct *tasklet);
extern void tasklet_kill(struct tasklet_struct *tasklet);

struct mover { struct dma_device device; spinlock_t lock; struct tasklet_struct tasklet; int queued, moved; struct dma_chan channel; };

static void mover_issue(struct dma_chan *channel)
{
	struct mover *mover = container_of(channel, struct mover, channel);
	unsigned long flags;

	spin_lock_irqsave(&mover->lock, flags);
	mover->queued++; // RACE
	spin_unlock_irqrestore(&mover->lock, flags);
	__tasklet_schedule(&mover->tasklet);
}

static void mover_done(struct tasklet_struct *tasklet)
{
	struct mover *mover = container_of(tasklet, struct mover, tasklet);

	mover->queued = 0; // RACE
}

static int mover_probe(struct platform_device *device)
{
	struct mover *mover = devm_kzalloc(&device->dev, sizeof(*mover), GFP_KERNEL);

	if (!mover)
		return -ENOMEM;
	spin_lock_init(&mover->lock);
	tasklet_setup(&mover->tasklet, mover_done);
	mover->channel.device = &mover->device;
	mover->channel.device_node.next = mover->channel.device_node.prev = &mover->device.channels;
	mover->device.channels.next = mover->device.channels.prev = &mover->channel.device_node;
	mover->device.dev = &device->dev;
	mover->device.device_issue_pending = mover_issue;
	platform_set_drvdata(device, mover);
	return dma_async_device_register(&mover->device);
}

static int mover_remove(struct platform_device *device)
{
	struct mover *mover = platform_get_drvdata(device);

	dma_async_device_unregister(&mover->device);
	tasklet_kill(&mover->tasklet);
	return 0;
}

static struct platform_driver mover_driver = { .probe = mover_probe, .remove = mover_remove, .driver = { .name = "mover" } };

int init_module(void)
{
	return platform_driver_register(&mover_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&mover_driver);
}

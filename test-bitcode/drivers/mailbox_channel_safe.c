// irkiss: ; expect: none ; lazy: yes
//
// A mailbox's channels lie in the array of the driver's controller, and each leads to that. What is sent and what the interrupt finds is one controller's.
#include "part_linux.h"

struct mbox_controller;
struct mbox_chan { struct mbox_controller *mbox; unsigned int txdone_method; void *con_priv; };
struct mbox_chan_ops { int (*send_data)(struct mbox_chan *channel, void *data); };
struct mbox_controller { struct device *dev; const struct mbox_chan_ops *ops; struct mbox_chan *chans; int num_chans; bool txdone_irq; };
extern int devm_mbox_controller_register(struct device *device, struct mbox_controller *controller);
extern void mbox_chan_txdone(struct mbox_chan *channel, int error);

struct box { struct mbox_controller controller; struct mbox_chan channels[1]; spinlock_t lock; bool full; };

static int box_send(struct mbox_chan *channel, void *data)
{
	struct box *box = container_of(channel->mbox, struct box, controller);
	unsigned long flags;

	spin_lock_irqsave(&box->lock, flags);
	box->full = true;
	spin_unlock_irqrestore(&box->lock, flags);
	return 0;
}

static irqreturn_t box_irq(int irq, void *data)
{
	struct box *box = data;
	bool full;

	spin_lock(&box->lock);
	full = box->full;
	box->full = false;
	spin_unlock(&box->lock);
	if (full)
		mbox_chan_txdone(&box->channels[0], 0);
	return IRQ_HANDLED;
}

static const struct mbox_chan_ops box_ops = { .send_data = box_send };

static int box_probe(struct platform_device *device)
{
	struct box *box = devm_kzalloc(&device->dev, sizeof(*box), GFP_KERNEL);
	int irq, error;

	if (!box)
		return -ENOMEM;
	spin_lock_init(&box->lock);
	box->controller.dev = &device->dev;
	box->controller.chans = box->channels;
	box->controller.num_chans = 1;
	box->controller.ops = &box_ops;
	box->controller.txdone_irq = true;
	irq = platform_get_irq(device, 0);
	if (irq < 0)
		return irq;
	error = devm_request_irq(&device->dev, irq, box_irq, 0, "box", box);
	if (error)
		return error;
	return devm_mbox_controller_register(&device->dev, &box->controller);
}

static struct platform_driver box_driver = { .probe = box_probe, .driver = { .name = "box" } };

int init_module(void)
{
	return platform_driver_register(&box_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&box_driver);
}

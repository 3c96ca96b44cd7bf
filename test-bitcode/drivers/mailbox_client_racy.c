// irkiss: ; expect: race ; lazy: yes
//
// As mailbox_client_safe.c, but what is sent looks at the mode, and the channel is shut down beside that.
#include "part_linux.h"

struct mbox_controller;
struct mbox_chan { struct mbox_controller *mbox; unsigned int txdone_method; void *con_priv; };
struct mbox_chan_ops {
	int (*send_data)(struct mbox_chan *channel, void *data);
	int (*startup)(struct mbox_chan *channel);
	void (*shutdown)(struct mbox_chan *channel);
};
struct mbox_controller { struct device *dev; const struct mbox_chan_ops *ops; struct mbox_chan *chans; int num_chans; bool txdone_irq; };
extern int devm_mbox_controller_register(struct device *device, struct mbox_controller *controller);

struct box { struct mbox_controller controller; struct mbox_chan channels[1]; int mode, started; };

static int box_send(struct mbox_chan *channel, void *data)
{
	struct box *box = container_of(channel->mbox, struct box, controller);

	return box->mode ? 0 : -EBUSY; // RACE
}

static int box_startup(struct mbox_chan *channel)
{
	struct box *box = container_of(channel->mbox, struct box, controller);

	box->mode = 1;
	box->started++;
	return 0;
}

static void box_shutdown(struct mbox_chan *channel)
{
	struct box *box = container_of(channel->mbox, struct box, controller);

	if (box->mode)
		box->started--;
	box->mode = 0; // RACE
}

static const struct mbox_chan_ops box_ops = { .send_data = box_send, .startup = box_startup, .shutdown = box_shutdown };

static int box_probe(struct platform_device *device)
{
	struct box *box = devm_kzalloc(&device->dev, sizeof(*box), GFP_KERNEL);

	if (!box)
		return -ENOMEM;
	box->controller.dev = &device->dev;
	box->controller.chans = box->channels;
	box->controller.num_chans = 1;
	box->controller.ops = &box_ops;
	box->controller.txdone_irq = true;
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

// irkiss: --property removed ; forms: nopass ; expect: finds
//
// A board that is detached, but not by what frees its interrupt: that runs when the module has gone.
#include "../drivers/part_linux.h"

struct comedi_device { unsigned int irq; void *private; };
struct comedi_devconfig { int options[4]; };
struct comedi_driver {
	const char *driver_name;
	struct module *module;
	int (*attach)(struct comedi_device *device, struct comedi_devconfig *config);
	void (*detach)(struct comedi_device *device);
};
extern int comedi_driver_register(struct comedi_driver *driver);
extern void comedi_driver_unregister(struct comedi_driver *driver);

static int seen;

static irqreturn_t board_interrupt(int irq, void *data)
{
	seen++; // FINDS:use-after-removal
	return IRQ_HANDLED;
}

static int board_attach(struct comedi_device *device, struct comedi_devconfig *config)
{
	int error = request_irq(5, board_interrupt, 0, "board", device);

	if (error)
		return error;
	device->irq = 5;
	return 0;
}

static void board_detach(struct comedi_device *device)
{
	device->irq = 0; // FINDS:use-after-removal
}

static struct comedi_driver board_driver = { .driver_name = "board", .attach = board_attach, .detach = board_detach };

int init_module(void)
{
	return comedi_driver_register(&board_driver);
}

void cleanup_module(void)
{
	comedi_driver_unregister(&board_driver);
}

// irkiss: --property removed ; forms: nopass ; expect: finds
//
// A port is closed when it goes, but nobody frees the interrupt that was requested as it was opened.
#include "../drivers/part_linux.h"

struct serio {
	void *port_data;
	char name[32];
	int (*write)(struct serio *, unsigned char);
	int (*open)(struct serio *);
	void (*close)(struct serio *);
};
extern void __serio_register_port(struct serio *serio, struct module *owner);
extern void serio_unregister_port(struct serio *serio);
extern unsigned char inb(int port);

static struct serio *port;
static int seen;

static irqreturn_t port_interrupt(int irq, void *data)
{
	seen += inb(0x60); // FINDS:use-after-removal
	return IRQ_HANDLED;
}

static int port_open(struct serio *serio)
{
	return request_irq(12, port_interrupt, 0, "port", serio);
}

static void port_close(struct serio *serio)
{
	seen = 0; // FINDS:use-after-removal
}

static int port_probe(struct platform_device *pdev)
{
	port = kzalloc(sizeof(*port), GFP_KERNEL);
	if (!port)
		return -ENOMEM;
	port->open = port_open;
	port->close = port_close;
	__serio_register_port(port, THIS_MODULE);
	return 0;
}

static int port_remove(struct platform_device *pdev)
{
	serio_unregister_port(port);
	return 0;
}

static struct platform_driver port_driver = { .probe = port_probe, .remove = port_remove, .driver = { .name = "port" } };

int init_module(void)
{
	return platform_driver_register(&port_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&port_driver);
}

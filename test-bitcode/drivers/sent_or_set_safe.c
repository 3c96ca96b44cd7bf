// irkiss: ; expect: none ; lazy: yes
//
// Who waits until a port has sent all holds no lock of the kernel, but the driver has one of its own.
#include "part_linux.h"

struct ktermios;
struct uart_ops;
struct uart_port { spinlock_t lock; const struct uart_ops *ops; };
struct uart_ops {
	unsigned int (*tx_empty)(struct uart_port *port);
	void (*set_termios)(struct uart_port *port, struct ktermios *new, struct ktermios *old);
};
struct uart_driver { struct module *owner; int nr; };
extern int uart_add_one_port(struct uart_driver *driver, struct uart_port *port);

static struct uart_driver driver = { .owner = THIS_MODULE, .nr = 1 };
static struct uart_port demo_port;
static DEFINE_SPINLOCK(demo_lock);
int state;

static unsigned int demo_empty(struct uart_port *port)
{
	spin_lock(&demo_lock);
	state = 2; // NORACE
	spin_unlock(&demo_lock);
	return 1;
}

static void demo_set(struct uart_port *port, struct ktermios *new, struct ktermios *old)
{
	spin_lock(&demo_lock);
	state = 1; // NORACE
	spin_unlock(&demo_lock);
}
static const struct uart_ops demo_ops = { .tx_empty = demo_empty, .set_termios = demo_set };

static int demo_probe(struct platform_device *pdev)
{
	demo_port.ops = &demo_ops;
	return uart_add_one_port(&driver, &demo_port);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}

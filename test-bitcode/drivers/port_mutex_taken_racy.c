// irkiss: ; expect: race ; lazy: yes
//
// As port_mutex_taken_safe.c, but the driver gives the lock back too early.
#include "part_linux.h"

struct ktermios;
struct tty_port { struct tty_struct *tty; struct mutex mutex; };
struct uart_state { struct tty_port port; };
struct uart_ops;
struct uart_port { spinlock_t lock; const struct uart_ops *ops; struct uart_state *state; };
struct uart_ops {
	unsigned int (*tx_empty)(struct uart_port *port);
	void (*set_termios)(struct uart_port *port, struct ktermios *new, struct ktermios *old);
};
struct uart_driver { struct module *owner; int nr; };
extern int uart_add_one_port(struct uart_driver *driver, struct uart_port *port);

static struct uart_driver driver = { .owner = THIS_MODULE, .nr = 1 };
static struct uart_port demo_port;
int rate;

static void demo_set(struct uart_port *port, struct ktermios *new, struct ktermios *old)
{
	rate = 1; // RACE
}
static const struct uart_ops demo_ops = { .set_termios = demo_set };

static void demo_work(struct work_struct *work)
{
	mutex_lock(&demo_port.state->port.mutex);
	mutex_unlock(&demo_port.state->port.mutex);
	rate = 2; // RACE
}
static struct work_struct work = { .func = demo_work };

static int demo_probe(struct platform_device *pdev)
{
	int error;

	demo_port.ops = &demo_ops;
	error = uart_add_one_port(&driver, &demo_port);
	if (!error)
		schedule_work(&work);
	return error;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}

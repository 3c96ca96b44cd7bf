// irkiss: ; expect: none ; lazy: yes
//
// A port is configured while it is added: who sends later finds what that has set. Both sides take the port's lock.
#include "kernel.h"

struct uart_port;
struct uart_ops {
    unsigned int (*tx_empty)(struct uart_port *);
    void (*start_tx)(struct uart_port *);
    int (*startup)(struct uart_port *);
    void (*shutdown)(struct uart_port *);
    void (*config_port)(struct uart_port *, int);
};
struct uart_port {
    spinlock_t lock;
    unsigned int type;
    const struct uart_ops *ops;
    void *private_data;
};
struct uart_driver;
extern int uart_add_one_port(struct uart_driver *driver, struct uart_port *port);

struct demo {
    const int *registers;
    long sent;
};
static const int registers = 3;
static struct demo demo;
static struct uart_port port;

static void demo_config(struct uart_port *port, int flags)
{
    struct demo *demo = port->private_data;
    demo->registers = &registers; // NORACE
}

static int demo_startup(struct uart_port *port)
{
    return 0;
}

static void demo_start(struct uart_port *port)
{
    struct demo *demo = port->private_data;
    demo->sent += *demo->registers; // NORACE
}

static unsigned int demo_empty(struct uart_port *port)
{
    struct demo *demo = port->private_data;
    spin_lock(&port->lock);
    long sent = demo->sent; // NORACE
    spin_unlock(&port->lock);
    return sent == 0;
}

static const struct uart_ops demo_ops = {
    .tx_empty = demo_empty,
    .start_tx = demo_start,
    .startup = demo_startup,
    .config_port = demo_config,
};

static int demo_init(void)
{
    port.ops = &demo_ops;
    port.private_data = &demo;
    return uart_add_one_port(NULL, &port);
}

module_init(demo_init)

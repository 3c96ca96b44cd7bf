// irkiss: ; expect: none ; lazy: yes
//
// The lock that the kernel holds around start_tx() is the first member of the port, as in Linux: it has the address of the port.
#include "work.h"

struct uart_port;
struct uart_ops {
    void (*start_tx)(struct uart_port *);
};
struct uart_port {
    spinlock_t lock;
    int line;
    const struct uart_ops *ops;
};
extern int uart_add_one_port(void *driver, struct uart_port *port);

int sent;

static void demo_start(struct uart_port *port)
{
    sent++; // NORACE
}

static const struct uart_ops uart_ops = { .start_tx = demo_start };
static struct uart_port port = { .ops = &uart_ops };
static void demo_work(struct work_struct *work);
static struct work_struct item = { .func = demo_work };

static void demo_work(struct work_struct *work)
{
    spin_lock(&port.lock);
    sent++; // NORACE
    spin_unlock(&port.lock);
}

static int demo_init(void)
{
    queue_work_on(0, NULL, &item);
    return uart_add_one_port(NULL, &port);
}

module_init(demo_init)

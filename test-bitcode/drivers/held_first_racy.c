// irkiss: ; expect: race ; lazy: yes
//
// As held_first_safe.c, but the work item does not take the lock.
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
    sent++; // RACE
}

static const struct uart_ops uart_ops = { .start_tx = demo_start };
static struct uart_port port = { .ops = &uart_ops };
static void demo_work(struct work_struct *work);
static struct work_struct item = { .func = demo_work };

static void demo_work(struct work_struct *work)
{
    sent++; // RACE
}

static int demo_init(void)
{
    queue_work_on(0, NULL, &item);
    return uart_add_one_port(NULL, &port);
}

module_init(demo_init)

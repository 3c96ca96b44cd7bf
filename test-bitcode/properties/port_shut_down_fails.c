// irkiss: --property removed ; forms: nopass ; expect: finds
//
// A port that is removed is shut down, but that leaves the interrupt: it reads the device after its removal.
#include "../drivers/part_linux.h"

struct uart_port;
struct uart_ops {
	unsigned int (*tx_empty)(struct uart_port *port);
	int (*startup)(struct uart_port *port);
	void (*shutdown)(struct uart_port *port);
};
struct uart_port { spinlock_t lock; unsigned char *membase; unsigned int irq; const struct uart_ops *ops; };
struct uart_driver { const char *name; };
extern int uart_add_one_port(struct uart_driver *driver, struct uart_port *port);
extern void uart_remove_one_port(struct uart_driver *driver, struct uart_port *port);
extern unsigned int readl(const volatile void *address);

struct board { struct uart_port port; unsigned int seen; };

static struct uart_driver board_uart;

static irqreturn_t board_interrupt(int irq, void *data)
{
	struct board *board = data;

	board->seen += readl(board->port.membase); // FINDS:use-after-removal
	return IRQ_HANDLED;
}

static unsigned int board_empty(struct uart_port *port)
{
	return 1;
}

static int board_startup(struct uart_port *port)
{
	return request_irq(port->irq, board_interrupt, 0, "board", container_of(port, struct board, port));
}

static void board_shutdown(struct uart_port *port)
{
	port->irq = 0; // FINDS:use-after-removal
}

static const struct uart_ops board_ops = { .tx_empty = board_empty, .startup = board_startup, .shutdown = board_shutdown };

static int board_probe(struct platform_device *pdev)
{
	struct board *board = kzalloc(sizeof(*board), GFP_KERNEL);
	int error;

	if (!board)
		return -ENOMEM;
	spin_lock_init(&board->port.lock);
	board->port.irq = 7;
	board->port.ops = &board_ops;
	platform_set_drvdata(pdev, board);
	error = uart_add_one_port(&board_uart, &board->port);
	if (error)
		kfree(board);
	return error;
}

static int board_remove(struct platform_device *pdev)
{
	struct board *board = platform_get_drvdata(pdev);

	uart_remove_one_port(&board_uart, &board->port);
	return 0;
}

static struct platform_driver board_driver = { .probe = board_probe, .remove = board_remove, .driver = { .name = "board" } };

int init_module(void)
{
	return platform_driver_register(&board_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&board_driver);
}

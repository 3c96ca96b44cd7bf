// irkiss: ; expect: none ; lazy: yes
//
// A terminal is set up, and shut down for the last time, under the mutex of all terminals.
#include "part_linux.h"

struct tty_struct;
struct tty_operations {
	int (*install)(void *driver, struct tty_struct *tty);
	void (*hangup)(struct tty_struct *tty);
	void (*shutdown)(struct tty_struct *tty);
};
struct tty_struct {
	void *driver_data;
	const struct tty_operations *ops;
};

int lines;

static int demo_install(void *driver, struct tty_struct *tty)
{
	lines++; // NORACE
	return 0;
}

static void demo_shutdown(struct tty_struct *tty)
{
	lines--; // NORACE
}

const struct tty_operations demo_ops = { .install = demo_install, .shutdown = demo_shutdown };

static int demo_probe(struct platform_device *pdev)
{
	return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}

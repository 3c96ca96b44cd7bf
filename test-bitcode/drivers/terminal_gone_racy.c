// irkiss: ; expect: race ; lazy: yes
//
// As terminal_gone_safe.c, but it is hung up, under its own lock, which is not held when it is shut down.
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

static void demo_hangup(struct tty_struct *tty)
{
	lines = 0; // RACE
}

static void demo_shutdown(struct tty_struct *tty)
{
	lines--; // RACE
}

const struct tty_operations demo_ops = { .hangup = demo_hangup, .shutdown = demo_shutdown };

static int demo_probe(struct platform_device *pdev)
{
	return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}

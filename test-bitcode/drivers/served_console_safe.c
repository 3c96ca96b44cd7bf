// irkiss: ; expect: none ; lazy: yes
//
// A console that other modules alone ask for, and give back: while there is one, they hold this module, whose exit comes later.
#include "served_console.h"

static struct tty_driver *demo_device(struct console *co, int *index)
{
	*index = co->index;
	return demo_driver; // NORACE
}

static struct console *demo_console(void)
{
	struct console *co = kzalloc(sizeof(*co), GFP_KERNEL);

	if (co) {
		co->device = demo_device;
		register_console(co);
	}
	return co;
}

struct console *demo_line_alloc(void)
{
	return demo_console();
}
EXPORT(demo_line_alloc, 7)

void demo_line_free(struct console *co)
{
	unregister_console(co);
	kfree(co);
}
EXPORT(demo_line_free, 8)

int init_module(void)
{
	demo_driver = kzalloc(sizeof(*demo_driver), GFP_KERNEL);
	return demo_driver ? 0 : -ENOMEM;
}

void cleanup_module(void)
{
	demo_driver = NULL; // NORACE
}

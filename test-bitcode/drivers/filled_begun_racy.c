// irkiss: ; expect: race ; lazy: yes
//
// As filled_begun_safe.c; here the driver itself stores there, after the console has begun.
#include "part_linux.h"

struct console { char name[16]; void (*write)(struct console *, const char *, unsigned); short index; unsigned short flags; struct console *next; };
extern void register_console(struct console *console);
extern int console_count(const struct console *console, int index);

static void demo_write(struct console *console, const char *text, unsigned count)
{
	console_count(console, console->index); // RACE
}

static struct console demo_console = { .name = "demo", .write = demo_write };

int init_module(void)
{
	register_console(&demo_console);
	demo_console.index = 1; // RACE
	return 0;
}

// A console that a module makes as others ask for it, and what its exit does meanwhile.
#include "part_linux.h"

struct tty_driver { int major; };
struct console {
	char name[16];
	void (*write)(struct console *co, const char *s, unsigned count);
	struct tty_driver *(*device)(struct console *co, int *index);
	int flags;
	short index;
	void *data;
};
extern void register_console(struct console *co);
extern int unregister_console(struct console *co);
#define EXPORT(symbol, n) static void *__attribute__((used)) __UNIQUE_ID___addressable_##symbol##n = (void *)&symbol;

static struct tty_driver *demo_driver;

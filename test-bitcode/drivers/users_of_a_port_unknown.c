// irkiss: ; expect: unknown ; reason: who uses a port calls port_open (serio.open), port_stop (serio.stop) ; lazy: yes
//
// A port counts what its user does, without a lock. The one driver that is bound to a port opens and stops it in turn: that the two race
// where they run beside each other is no evidence that they do.
#include "part_linux.h"

struct serio { void *port_data; char name[32]; spinlock_t lock; int (*write)(struct serio *, unsigned char); int (*open)(struct serio *); void (*close)(struct serio *); int (*start)(struct serio *); void (*stop)(struct serio *); struct device dev; };
extern void __serio_register_port(struct serio *serio, struct module *owner);
extern void serio_unregister_port(struct serio *serio);

static unsigned int used;

static int port_open(struct serio *serio)
{
	used++;
	return 0;
}

static void port_stop(struct serio *serio)
{
	used = 0;
}

static struct serio port = { .open = port_open, .stop = port_stop };

int init_module(void)
{
	__serio_register_port(&port, THIS_MODULE);
	return 0;
}

void cleanup_module(void)
{
	serio_unregister_port(&port);
}

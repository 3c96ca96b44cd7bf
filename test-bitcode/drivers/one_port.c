// irkiss: ; expect: none ; lazy: yes
//
// Who opens a port of serio does so while the port's drv_mutex is held, and closes it so, too. There is one port: it is registered once.
#include "platform.h"

struct serio {
    void *port_data;
    int (*write)(struct serio *, unsigned char);
    int (*open)(struct serio *);
    void (*close)(struct serio *);
    struct mutex drv_mutex;
};
extern void __serio_register_port(struct serio *serio, struct module *owner);

int users;

static int demo_open(struct serio *port)
{
    users++; // NORACE
    return 0;
}

static void demo_close(struct serio *port)
{
    users--; // NORACE
}

static int demo_probe(struct platform_device *pdev)
{
    struct serio *port = __kmalloc(sizeof(*port), GFP_KERNEL | 0x100u);
    if (!port)
        return -ENOMEM;
    port->open = demo_open;
    port->close = demo_close;
    __serio_register_port(port, THIS_MODULE);
    return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

PLATFORM_MODULE(demo_driver)

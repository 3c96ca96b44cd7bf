// irkiss: --pair demo_open,demo_dtr_rts ; expect: unknown
//
// As ports_own.c, but what all ports share: the lock of one port's terminal keeps no other port away.
#include "kernel.h"

struct usb_serial_port;
struct usb_serial {
    void *private;
};
struct usb_serial_port {
    struct usb_serial *serial;
    void *data;
};
struct tty_struct {
    int magic;
    struct mutex legacy_mutex;
};
struct usb_serial_driver {
    const char *description;
    unsigned char num_ports;
    int (*port_probe)(struct usb_serial_port *port);
    int (*open)(struct tty_struct *tty, struct usb_serial_port *port);
    void (*dtr_rts)(struct usb_serial_port *port, int on);
};
extern void tty_lock(struct tty_struct *tty);
extern void tty_unlock(struct tty_struct *tty);

static long opened;
struct demo_port {
    long opened;
};

static int demo_port_probe(struct usb_serial_port *port)
{
    struct demo_port *own = __kmalloc(sizeof(*own), GFP_KERNEL);
    if (!own)
        return -ENOMEM;
    port->data = own;
    return 0;
}

static int demo_open(struct tty_struct *tty, struct usb_serial_port *port)
{
    tty_unlock(tty);
    tty_lock(tty);
    opened++;
    return 0;
}

static void demo_dtr_rts(struct usb_serial_port *port, int on)
{
    opened--;
}

static struct usb_serial_driver demo_device = {
    .description = "demo",
    .num_ports = 4,
    .port_probe = demo_port_probe,
    .open = demo_open,
    .dtr_rts = demo_dtr_rts,
};
static struct usb_serial_driver *const drivers[] = { &demo_device, NULL };
extern int usb_serial_register_drivers(struct usb_serial_driver *const list[], const char *name, const void *table);

static int demo_init(void)
{
    return usb_serial_register_drivers(drivers, "demo", NULL);
}

module_init(demo_init)

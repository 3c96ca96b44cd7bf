// irkiss: ; expect: race
//
// As serial_settings_safe.c, but other operations, around which it holds none or another one, use the same.
#include "kernel.h"

struct usb_serial_port;
struct usb_serial {
    struct usb_serial_port *port[1];
};
struct usb_serial_port {
    struct usb_serial *serial;
    long lines;
    long divisor;
};
struct tty_struct {
    void *driver_data;
};
struct serial_struct {
    int custom_divisor;
};
struct usb_serial_driver {
    const char *description;
    int (*calc_num_ports)(struct usb_serial *serial, void *endpoints);
    int (*open)(struct tty_struct *tty, struct usb_serial_port *port);
    void (*dtr_rts)(struct usb_serial_port *port, int on);
    int (*tiocmset)(struct tty_struct *tty, unsigned int set, unsigned int clear);
    void (*get_serial)(struct tty_struct *tty, struct serial_struct *ss);
    int (*set_serial)(struct tty_struct *tty, struct serial_struct *ss);
    int (*ioctl)(struct tty_struct *tty, unsigned int command, unsigned long argument);
    unsigned int (*write_room)(struct tty_struct *tty);
};

static int demo_ports(struct usb_serial *serial, void *endpoints)
{
    return 1;
}

// tty_lock is held while a port is opened, and while its lines are raised or lowered.
static int demo_open(struct tty_struct *tty, struct usb_serial_port *port)
{
    port->lines = 0; // NORACE
    return 0;
}

static void demo_dtr_rts(struct usb_serial_port *port, int on)
{
    port->lines = on; // RACE
}

// The mutex of the port is held while its settings are read and written.
static void demo_get_serial(struct tty_struct *tty, struct serial_struct *ss)
{
    struct usb_serial_port *port = tty->driver_data;
    ss->custom_divisor = port->divisor; // NORACE
}

static int demo_set_serial(struct tty_struct *tty, struct serial_struct *ss)
{
    struct usb_serial_port *port = tty->driver_data;
    port->divisor = ss->custom_divisor; // RACE
    return 0;
}

// The same mutex, but the lines are raised without it.
static int demo_tiocmset(struct tty_struct *tty, unsigned int set, unsigned int clear)
{
    struct usb_serial_port *port = tty->driver_data;
    port->lines = set; // RACE
    return 0;
}

static int demo_ioctl(struct tty_struct *tty, unsigned int command, unsigned long argument)
{
    struct usb_serial_port *port = tty->driver_data;
    return port->divisor; // NORACE
}

// Neither of them.
static unsigned int demo_write_room(struct tty_struct *tty)
{
    struct usb_serial_port *port = tty->driver_data;
    return port->divisor; // RACE
}

static struct usb_serial_driver demo_device = {
    .description = "demo",
    .calc_num_ports = demo_ports,
    .open = demo_open,
    .dtr_rts = demo_dtr_rts,
    .get_serial = demo_get_serial,
    .set_serial = demo_set_serial,
    .tiocmset = demo_tiocmset,
    .ioctl = demo_ioctl,
    .write_room = demo_write_room,
};
static struct usb_serial_driver *const drivers[] = { &demo_device, NULL };
extern int usb_serial_register_drivers(struct usb_serial_driver *const list[], const char *name, const void *table);

static int demo_init(void)
{
    return usb_serial_register_drivers(drivers, "demo", NULL);
}

module_init(demo_init)

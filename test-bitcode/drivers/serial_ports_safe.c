// irkiss: ; expect: none
//
// The number of ports is no error code: the converter is there after calc_num_ports has returned 1.
#include "kernel.h"

struct usb_serial_port;
struct usb_serial {
    struct usb_serial_port *port[1];
};
struct usb_serial_port {
    struct usb_serial *serial;
    long words;
};
struct tty_struct;
struct usb_serial_driver {
    const char *description;
    int (*calc_num_ports)(struct usb_serial *serial, void *endpoints);
    int (*write)(struct tty_struct *tty, struct usb_serial_port *port, const unsigned char *data, int size);
    int (*carrier_raised)(struct usb_serial_port *port);
};
static DEFINE_MUTEX(lock);

static int demo_ports(struct usb_serial *serial, void *endpoints)
{
    return 1;
}

static int demo_write(struct tty_struct *tty, struct usb_serial_port *port, const unsigned char *data, int size)
{
    mutex_lock(&lock);
    port->words++; // NORACE
    mutex_unlock(&lock);
    return size;
}

static int demo_carrier(struct usb_serial_port *port)
{
    long words;
    mutex_lock(&lock);
    words = port->words; // NORACE
    mutex_unlock(&lock);
    return words > 0;
}

static struct usb_serial_driver demo_device = {
    .description = "demo",
    .calc_num_ports = demo_ports,
    .write = demo_write,
    .carrier_raised = demo_carrier,
};
static struct usb_serial_driver *const drivers[] = { &demo_device, NULL };
extern int usb_serial_register_drivers(struct usb_serial_driver *const list[], const char *name, const void *table);

static int demo_init(void)
{
    return usb_serial_register_drivers(drivers, "demo", NULL);
}

module_init(demo_init)

// irkiss: ; expect: race ; lazy: yes
//
// As serial_module_safe.c, but the driver does not say whose it is.
#include "kernel.h"

struct usb_serial_port;
struct tty_struct {
    void *driver_data;
};
struct device_driver {
    const char *name;
    struct module *owner;
};
struct usb_serial_driver {
    const char *description;
    struct device_driver driver;
    unsigned char num_ports;
    int (*open)(struct tty_struct *tty, struct usb_serial_port *port);
    int (*ioctl)(struct tty_struct *tty, unsigned int command, unsigned long argument);
};
static long opened;

static int demo_open(struct tty_struct *tty, struct usb_serial_port *port)
{
    opened = 1; // RACE
    return 0;
}

static int demo_ioctl(struct tty_struct *tty, unsigned int command, unsigned long argument)
{
    opened++; // RACE
    return 0;
}

static struct usb_serial_driver demo_device = {
    .description = "demo",
    .driver = { .name = "demo" },
    .num_ports = 1,
    .open = demo_open,
    .ioctl = demo_ioctl,
};
static struct usb_serial_driver *const drivers[] = { &demo_device, NULL };
extern int usb_serial_register_drivers(struct usb_serial_driver *const list[], const char *name, const void *table);
extern void usb_serial_deregister_drivers(struct usb_serial_driver *const list[]);

static int demo_init(void)
{
    return usb_serial_register_drivers(drivers, "demo", NULL);
}

static void demo_exit(void)
{
    opened = 0; // RACE
    usb_serial_deregister_drivers(drivers);
}

module_init(demo_init)
module_exit(demo_exit)

// irkiss: ; expect: race ; lazy: yes
//
// As serial_asleep_safe.c, but the driver gives the use up that opening a port began: the converter sleeps and wakes up while it is open.
#include "kernel.h"

struct usb_serial_port;
struct usb_interface;
struct usb_serial {
    struct usb_interface *interface;
    struct usb_serial_port *port[1];
};
struct usb_serial_port {
    struct usb_serial *serial;
    long words;
};
struct tty_struct {
    void *driver_data;
};
extern void usb_autopm_put_interface(struct usb_interface *interface);
struct usb_serial_driver {
    const char *description;
    unsigned char num_ports;
    int (*open)(struct tty_struct *tty, struct usb_serial_port *port);
    int (*ioctl)(struct tty_struct *tty, unsigned int command, unsigned long argument);
    int (*suspend)(struct usb_serial *serial, int message);
    int (*resume)(struct usb_serial *serial);
};
static long opened;

static int demo_open(struct tty_struct *tty, struct usb_serial_port *port)
{
    opened = 1; // RACE
    usb_autopm_put_interface(port->serial->interface);
    return 0;
}

static int demo_ioctl(struct tty_struct *tty, unsigned int command, unsigned long argument)
{
    opened++; // RACE
    return 0;
}

static int demo_suspend(struct usb_serial *serial, int message)
{
    return 0;
}

static int demo_resume(struct usb_serial *serial)
{
    opened++; // RACE
    return 0;
}

static struct usb_serial_driver demo_device = {
    .description = "demo",
    .num_ports = 1,
    .open = demo_open,
    .ioctl = demo_ioctl,
    .suspend = demo_suspend,
    .resume = demo_resume,
};
static struct usb_serial_driver *const drivers[] = { &demo_device, NULL };
extern int usb_serial_register_drivers(struct usb_serial_driver *const list[], const char *name, const void *table);

static int demo_init(void)
{
    return usb_serial_register_drivers(drivers, "demo", NULL);
}

module_init(demo_init)

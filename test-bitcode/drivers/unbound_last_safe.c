// irkiss: ; expect: none ; lazy: yes
//
// A network device on a bus of USB is unregistered before its driver is told: nobody opens it or sends then.
#include "part_linux.h"

struct usbnet { void *net; void *driver_priv; };
struct usb_interface;
struct sk_buff;
struct driver_info {
	const char *description;
	int (*bind)(struct usbnet *dev, struct usb_interface *interface);
	void (*unbind)(struct usbnet *dev, struct usb_interface *interface);
	int (*reset)(struct usbnet *dev);
	int (*stop)(struct usbnet *dev);
	void (*status)(struct usbnet *dev, void *urb);
};
struct usb_device_id { unsigned short vendor, product; unsigned long driver_info; };
struct usb_driver {
	const char *name;
	int (*probe)(struct usb_interface *interface, const struct usb_device_id *id);
	void (*disconnect)(struct usb_interface *interface);
	const struct usb_device_id *id_table;
};
extern int usbnet_probe(struct usb_interface *interface, const struct usb_device_id *id);
extern void usbnet_disconnect(struct usb_interface *interface);
extern int usb_register_driver(struct usb_driver *driver, struct module *module, const char *name);
extern void usb_deregister(struct usb_driver *driver);

int speed;

static int demo_bind(struct usbnet *dev, struct usb_interface *interface)
{
	speed = 0;
	return 0;
}

static int demo_reset(struct usbnet *dev)
{
	speed = 1; // NORACE
	return 0;
}

static int demo_stop(struct usbnet *dev)
{
	speed++; // NORACE
	return 0;
}

static void demo_unbind(struct usbnet *dev, struct usb_interface *interface)
{
	speed = 0; // NORACE
}

static const struct driver_info demo_info = { .description = "demo", .bind = demo_bind, .unbind = demo_unbind, .reset = demo_reset, .stop = demo_stop };
static const struct usb_device_id demo_ids[] = { { 1, 1, (unsigned long)&demo_info }, { 0 } };
static struct usb_driver demo_driver = { .name = "demo", .probe = usbnet_probe, .disconnect = usbnet_disconnect, .id_table = demo_ids };

int init_module(void)
{
	return usb_register_driver(&demo_driver, THIS_MODULE, "demo");
}

void cleanup_module(void)
{
	usb_deregister(&demo_driver);
}

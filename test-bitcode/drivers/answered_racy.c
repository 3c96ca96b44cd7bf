// irkiss: ; expect: race ; lazy: yes
//
// As answered_safe.c, but who reads what came of it takes no lock.
#include "part_linux.h"

struct usb_device;
struct usb_interface { struct device dev; };
struct usb_device_id { unsigned short vendor, product; unsigned long driver_info; };
struct usb_driver {
	const char *name;
	int (*probe)(struct usb_interface *interface, const struct usb_device_id *id);
	void (*disconnect)(struct usb_interface *interface);
	const struct usb_device_id *id_table;
};
extern int usb_register_driver(struct usb_driver *driver, struct module *module, const char *name);
extern void usb_deregister(struct usb_driver *driver);
struct urb {
	unsigned int pipe;
	int status;
	void *transfer_buffer;
	u32 transfer_buffer_length, actual_length;
	void *context;
	void (*complete)(struct urb *);
};
extern struct urb *usb_alloc_urb(int packets, unsigned int flags);
extern int usb_submit_urb(struct urb *urb, unsigned int flags);
extern void usb_kill_urb(struct urb *urb);

static struct { spinlock_t lock; struct urb *urb; u8 *data; u32 bytes, pressed, errors; } demo;

static void demo_complete(struct urb *urb)
{
	unsigned long flags;

	spin_lock_irqsave(&demo.lock, flags);
	if (urb->status)
		demo.errors = urb->status; // RACE
	if (urb->actual_length >= 4)
		demo.bytes = urb->actual_length; // RACE
	if (demo.data[1] == 7)
		demo.pressed = 1; // RACE
	spin_unlock_irqrestore(&demo.lock, flags);
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
	u32 told;

	told = demo.errors; // RACE
	told += demo.bytes; // RACE
	told += demo.pressed; // RACE

	return told;
}
static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_misc = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_probe(struct usb_interface *interface, const struct usb_device_id *id)
{
	spin_lock_init(&demo.lock);
	demo.urb = usb_alloc_urb(0, GFP_KERNEL);
	demo.data = kzalloc(8, GFP_KERNEL);
	if (!demo.urb || !demo.data)
		return -ENOMEM;
	demo.urb->pipe = 0x80;
	demo.urb->transfer_buffer = demo.data;
	demo.urb->transfer_buffer_length = 8;
	demo.urb->complete = demo_complete;
	if (usb_submit_urb(demo.urb, GFP_KERNEL))
		return -EIO;
	return misc_register(&demo_misc);
}

static void demo_disconnect(struct usb_interface *interface)
{
	misc_deregister(&demo_misc);
	usb_kill_urb(demo.urb);
}
static const struct usb_device_id demo_ids[] = { { 1, 1, 0 }, { 0 } };
static struct usb_driver demo_driver = { .name = "demo", .probe = demo_probe, .disconnect = demo_disconnect, .id_table = demo_ids };

int init_module(void)
{
	return usb_register_driver(&demo_driver, THIS_MODULE, "demo");
}

void cleanup_module(void)
{
	usb_deregister(&demo_driver);
}

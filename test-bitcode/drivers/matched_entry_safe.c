// irkiss: ; expect: none
//
// A driver is told which entry of its own table the device has matched: all that the table names have one lock.
#include "kernel.h"

struct device { struct device *parent; void *driver_data; };
struct usb_interface { struct device dev; };
struct usb_device_id { unsigned short vendor, product; unsigned long driver_info; };
struct usb_driver {
	const char *name;
	int (*probe)(struct usb_interface *, const struct usb_device_id *);
	void (*disconnect)(struct usb_interface *);
	const struct usb_device_id *id_table;
};
extern int usb_register_driver(struct usb_driver *driver, struct module *owner, const char *name);

static DEFINE_MUTEX(lock);
static DEFINE_MUTEX(other);
static struct mutex *const locks[2] = { &lock, &lock };
static const struct usb_device_id lamp_table[] = { { 1, 1, 0 }, { 1, 2, 1 }, { } };

static struct mutex *chosen;
int level;

static ssize_t lamp_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
	int now;

	mutex_lock(chosen);
	now = level; // NORACE
	mutex_unlock(chosen);
	return now;
}

static ssize_t lamp_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
	mutex_lock(&lock);
	level = 1; // NORACE
	mutex_unlock(&lock);
	return bytes;
}

static const struct file_operations lamp_fops = { .owner = THIS_MODULE, .read = lamp_read, .write = lamp_write };
static struct miscdevice lamp_device = { .minor = MISC_DYNAMIC_MINOR, .name = "lamp", .fops = &lamp_fops };

static int lamp_probe(struct usb_interface *interface, const struct usb_device_id *id)
{
	chosen = locks[id->driver_info];
	return misc_register(&lamp_device);
}

static void lamp_disconnect(struct usb_interface *interface)
{
	misc_deregister(&lamp_device);
}

static struct usb_driver lamp_driver = {
	.name = "lamp", .probe = lamp_probe, .disconnect = lamp_disconnect, .id_table = lamp_table,
};

static int lamp_init(void)
{
	return usb_register_driver(&lamp_driver, THIS_MODULE, "lamp");
}

module_init(lamp_init)

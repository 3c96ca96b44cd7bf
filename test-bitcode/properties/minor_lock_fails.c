// irkiss: --property deadlock ; expect: finds
//
// The USB core calls open with its lock of minors held for reading, and usb_deregister_dev() takes it for writing. The driver calls that
// with its own lock held, for which open waits.
#include "../drivers/part_linux.h"

struct usb_device_id { unsigned short match_flags, idVendor, idProduct; unsigned long driver_info; };
struct usb_interface { void *altsetting; int minor; struct device dev; struct device *usb_dev; };
struct usb_class_driver { char *name; char *(*devnode)(const struct device *dev, umode_t *mode); const struct file_operations *fops; int minor_base; };
struct usb_driver {
	const char *name;
	int (*probe)(struct usb_interface *intf, const struct usb_device_id *id);
	void (*disconnect)(struct usb_interface *intf);
	const struct usb_device_id *id_table;
	struct device_driver driver;
};
extern int usb_register_driver(struct usb_driver *drv, struct module *owner, const char *name);
extern void usb_deregister(struct usb_driver *drv);
extern int usb_register_dev(struct usb_interface *intf, struct usb_class_driver *class_driver);
extern void usb_deregister_dev(struct usb_interface *intf, struct usb_class_driver *class_driver);
extern struct usb_interface *usb_find_interface(struct usb_driver *drv, int minor);
#define usb_get_intfdata(i) dev_get_drvdata(&(i)->dev)
#define usb_set_intfdata(i, d) dev_set_drvdata(&(i)->dev, d)

struct knob { int users; bool gone; };
static DEFINE_MUTEX(knob_lock);
static struct usb_driver knob_driver;

static int knob_open(struct inode *inode, struct file *file)
{
	struct usb_interface *intf = usb_find_interface(&knob_driver, inode->i_rdev & 0xfffff);
	struct knob *knob;
	int error = 0;

	if (!intf)
		return -ENODEV;
	mutex_lock(&knob_lock); // FINDS:deadlock
	knob = usb_get_intfdata(intf);
	if (!knob || knob->gone)
		error = -ENODEV;
	else
		knob->users++;
	file->private_data = knob;
	mutex_unlock(&knob_lock);
	return error;
}

static int knob_release(struct inode *inode, struct file *file)
{
	struct knob *knob = file->private_data;

	mutex_lock(&knob_lock);
	if (!--knob->users && knob->gone)
		kfree(knob);
	mutex_unlock(&knob_lock);
	return 0;
}

static const struct file_operations knob_fops = { .owner = THIS_MODULE, .open = knob_open, .release = knob_release };
static struct usb_class_driver knob_class = { .name = "knob%d", .fops = &knob_fops, .minor_base = 200 };

static int knob_probe(struct usb_interface *intf, const struct usb_device_id *id)
{
	struct knob *knob = kzalloc(sizeof(*knob), GFP_KERNEL);
	int error;

	if (!knob)
		return -ENOMEM;
	usb_set_intfdata(intf, knob);
	error = usb_register_dev(intf, &knob_class);
	if (error) {
		usb_set_intfdata(intf, NULL);
		kfree(knob);
	}
	return error;
}

static void knob_disconnect(struct usb_interface *intf)
{
	struct knob *knob;

	mutex_lock(&knob_lock);
	usb_deregister_dev(intf, &knob_class); // FINDS:deadlock
	knob = usb_get_intfdata(intf);
	usb_set_intfdata(intf, NULL);
	knob->gone = true;
	if (!knob->users)
		kfree(knob);
	mutex_unlock(&knob_lock);
}

static const struct usb_device_id knob_ids[] = { { 3, 0x1209, 0x0001, 0 }, { 0 } };
static struct usb_driver knob_driver = { .name = "knob", .probe = knob_probe, .disconnect = knob_disconnect, .id_table = knob_ids };

int init_module(void)
{
	return usb_register_driver(&knob_driver, THIS_MODULE, "knob");
}

void cleanup_module(void)
{
	usb_deregister(&knob_driver);
}

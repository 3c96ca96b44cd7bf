// irkiss: --property uaf ; forms: nopass ; expect: none
//
// Who ends all requests of an anchor waits for a completion that is under way, too, whatever has been anchored meanwhile
// (drivers/usb/core/urb.c: usb_kill_anchored_urbs, usb_anchor_check_wakeup).
#include "../drivers/part_linux.h"

struct urb { void *context; void (*complete)(struct urb *urb); };
struct usb_anchor { struct list_head urb_list; atomic_t suspend_wakeups; };
struct usb_interface { struct device dev; };
struct usb_device_id { unsigned short vendor, product; };
struct usb_driver {
	const char *name;
	int (*probe)(struct usb_interface *intf, const struct usb_device_id *id);
	void (*disconnect)(struct usb_interface *intf);
	const struct usb_device_id *id_table;
};
extern int usb_register_driver(struct usb_driver *driver, struct module *owner, const char *name);
extern void usb_deregister(struct usb_driver *driver);
extern struct urb *usb_alloc_urb(int packets, gfp_t flags);
extern int usb_submit_urb(struct urb *urb, gfp_t flags);
extern void usb_free_urb(struct urb *urb);
extern void usb_anchor_urb(struct urb *urb, struct usb_anchor *anchor);
extern void usb_kill_anchored_urbs(struct usb_anchor *anchor);
extern int device_create_file(struct device *dev, const struct device_attribute *attr);
extern void device_remove_file(struct device *dev, const struct device_attribute *attr);
extern void kfree(const void *object);
extern void *__kmalloc(size_t size, gfp_t flags);

struct meter { struct usb_anchor sent; int errors; };

static void meter_sent(struct urb *urb)
{
	struct meter *meter = urb->context;

	meter->errors++;
}

static ssize_t go_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
	struct meter *meter = dev_get_drvdata(dev);
	struct urb *urb = usb_alloc_urb(0, GFP_KERNEL);

	if (!urb)
		return -ENOMEM;
	urb->context = meter;
	urb->complete = meter_sent;
	usb_anchor_urb(urb, &meter->sent);
	usb_submit_urb(urb, GFP_KERNEL);
	usb_free_urb(urb);
	return count;
}

static struct device_attribute dev_attr_go = { { "go", 0200 }, NULL, go_store };

static int meter_probe(struct usb_interface *intf, const struct usb_device_id *id)
{
	struct meter *meter = __kmalloc(sizeof(*meter), GFP_KERNEL | __GFP_ZERO);

	if (!meter)
		return -ENOMEM;
	dev_set_drvdata(&intf->dev, meter);
	return device_create_file(&intf->dev, &dev_attr_go);
}

static void meter_disconnect(struct usb_interface *intf)
{
	struct meter *meter = dev_get_drvdata(&intf->dev);

	device_remove_file(&intf->dev, &dev_attr_go);
	usb_kill_anchored_urbs(&meter->sent);
	kfree(meter);
}

static struct usb_driver meter_driver = { .name = "meter", .probe = meter_probe, .disconnect = meter_disconnect };

int init_module(void)
{
	return usb_register_driver(&meter_driver, THIS_MODULE, "meter");
}

void cleanup_module(void)
{
	usb_deregister(&meter_driver);
}

// What a driver of a USB device needs of include/linux/usb/gadget.h: requests, and a driver that makes two of them.
#include "part_linux.h"

struct usb_ep { void *driver_data; unsigned maxpacket; };
struct usb_request {
	void *buf;
	unsigned length;
	void (*complete)(struct usb_ep *ep, struct usb_request *req);
	void *context;
	struct list_head list;
	int status;
	unsigned actual;
};
struct usb_gadget { struct usb_ep *ep0; struct device dev; };
struct usb_gadget_driver {
	char *function;
	int (*bind)(struct usb_gadget *gadget, struct usb_gadget_driver *driver);
	void (*unbind)(struct usb_gadget *gadget);
};
extern struct usb_request *usb_ep_alloc_request(struct usb_ep *ep, gfp_t flags);
extern void usb_ep_free_request(struct usb_ep *ep, struct usb_request *req);
extern int usb_ep_queue(struct usb_ep *ep, struct usb_request *req, gfp_t flags);
extern int usb_gadget_register_driver_owner(struct usb_gadget_driver *driver, struct module *owner, const char *name);

struct demo {
	spinlock_t lock;
	int sent;
	struct usb_request *in, *out;
};

static void demo_sent(struct usb_ep *ep, struct usb_request *req);
static void demo_received(struct usb_ep *ep, struct usb_request *req);

static struct usb_request *demo_request(struct usb_gadget *gadget, struct demo *demo)
{
	struct usb_request *req = usb_ep_alloc_request(gadget->ep0, GFP_KERNEL);

	if (req)
		req->context = demo;
	return req;
}

static int demo_bind(struct usb_gadget *gadget, struct usb_gadget_driver *driver)
{
	struct demo *demo = kzalloc(sizeof(*demo), GFP_KERNEL);

	if (!demo)
		return -ENOMEM;
	spin_lock_init(&demo->lock);
	demo->in = demo_request(gadget, demo);
	demo->out = demo_request(gadget, demo);
	if (!demo->in || !demo->out)
		return -ENOMEM;
	demo->in->complete = demo_sent;
	demo->out->complete = demo_received;
	usb_ep_queue(gadget->ep0, demo->out, GFP_KERNEL);
	return usb_ep_queue(gadget->ep0, demo->in, GFP_KERNEL);
}

static void demo_unbind(struct usb_gadget *gadget)
{
}

static struct usb_gadget_driver demo_driver = { .function = "demo", .bind = demo_bind, .unbind = demo_unbind };

int init_module(void)
{
	return usb_gadget_register_driver_owner(&demo_driver, THIS_MODULE, "demo");
}

// What a driver of a controller of the device side needs of include/linux/usb/gadget.h: it makes one gadget, and counts its starts.
#include "part_linux.h"

struct usb_gadget;
struct usb_gadget_driver;
struct usb_gadget_ops {
	int (*udc_start)(struct usb_gadget *gadget, struct usb_gadget_driver *driver);
	int (*udc_stop)(struct usb_gadget *gadget);
};
struct usb_gadget { const struct usb_gadget_ops *ops; const char *name; struct device dev; };
extern int usb_add_gadget_udc(struct device *parent, struct usb_gadget *gadget);
extern void usb_del_gadget_udc(struct usb_gadget *gadget);

struct demo { struct usb_gadget gadget; int started; int stops; };

static int demo_start(struct usb_gadget *gadget, struct usb_gadget_driver *driver)
{
	struct demo *demo = container_of(gadget, struct demo, gadget);

	demo->started = 1;
	return 0;
}

static int demo_stop(struct usb_gadget *gadget);
static const struct usb_gadget_ops demo_ops = { .udc_start = demo_start, .udc_stop = demo_stop };

static int demo_probe(struct platform_device *pdev)
{
	struct demo *demo = devm_kzalloc(&pdev->dev, sizeof(*demo), GFP_KERNEL);

	if (!demo)
		return -ENOMEM;
	demo->gadget.ops = &demo_ops;
	demo->gadget.name = "demo";
	platform_set_drvdata(pdev, demo);
	return usb_add_gadget_udc(&pdev->dev, &demo->gadget);
}

static int demo_remove(struct platform_device *pdev);
static struct platform_driver demo_driver = { .probe = demo_probe, .remove = demo_remove, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
void cleanup_module(void)
{
	platform_driver_unregister(&demo_driver);
}

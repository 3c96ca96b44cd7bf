// irkiss: ; expect: none ; lazy: yes
//
// The controller is stopped for good when its gadget is gone; and it stops only what has started.
#include "udc.h"

static int demo_stop(struct usb_gadget *gadget)
{
	struct demo *demo = container_of(gadget, struct demo, gadget);

	if (!demo->started)
		demo->stops = -1; // NORACE
	demo->stops++; // NORACE
	return 0;
}

static int demo_remove(struct platform_device *pdev)
{
	struct demo *demo = platform_get_drvdata(pdev);

	usb_del_gadget_udc(&demo->gadget);
	demo->stops = 0; // NORACE
	return 0;
}

// irkiss: ; expect: race ; lazy: yes
//
// As udc_ended_safe.c, but what stopping counts is reset while the gadget is still there.
#include "udc.h"

static int demo_stop(struct usb_gadget *gadget)
{
	struct demo *demo = container_of(gadget, struct demo, gadget);

	if (!demo->started)
		return 0;
	demo->stops++; // RACE
	return 0;
}

static int demo_remove(struct platform_device *pdev)
{
	struct demo *demo = platform_get_drvdata(pdev);

	demo->stops = 0; // RACE
	usb_del_gadget_udc(&demo->gadget);
	return 0;
}

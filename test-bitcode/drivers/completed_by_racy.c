// irkiss: ; expect: race ; lazy: yes
//
// As completed_by_safe.c, but the one function hands its request on to the other and touches it afterwards; and what the two requests have
// in common is touched without the lock.
#include "gadget.h"

static void demo_sent(struct usb_ep *ep, struct usb_request *req)
{
	struct demo *demo = req->context;

	demo->sent++; // RACE
	req->complete = demo_received;
	usb_ep_queue(ep, req, GFP_ATOMIC);
	req->length = 0; // RACE
}

static void demo_received(struct usb_ep *ep, struct usb_request *req)
{
	struct demo *demo = req->context;

	demo->sent = 0; // RACE
	req->length = ep->maxpacket; // RACE
}

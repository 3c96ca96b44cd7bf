// irkiss: ; expect: none ; lazy: yes
//
// Two functions that complete requests are never given the same one: each request holds one of them. What they have in common they
// touch under a lock.
#include "gadget.h"

static void demo_sent(struct usb_ep *ep, struct usb_request *req)
{
	struct demo *demo = req->context;

	req->length = 0; // NORACE
	spin_lock(&demo->lock);
	demo->sent++; // NORACE
	spin_unlock(&demo->lock);
}

static void demo_received(struct usb_ep *ep, struct usb_request *req)
{
	struct demo *demo = req->context;

	spin_lock(&demo->lock);
	demo->sent = 0; // NORACE
	spin_unlock(&demo->lock);
	req->length = ep->maxpacket; // NORACE
}

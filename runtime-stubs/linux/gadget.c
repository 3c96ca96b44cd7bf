/* Requests of USB device controllers (drivers/usb/gadget/udc/core.c): a queued request completes once, its completion is a
 * handler that queueing arms; dequeueing completes it as well. */
#include "irkiss_linux.h"

u64 __irkiss_sizeof__usb_request(void);
u64 __irkiss_offsetof__usb_request__complete(void);

void *usb_ep_alloc_request(void *, u32)
{
    u64 size = __irkiss_sizeof__usb_request();
    if (__irkiss_nondet_bool())
        return NULL;
    return size ? __irkiss_alloc(size, 1) : __irkiss_lazy(0, "usb_request");
}

void usb_ep_free_request(void *, void *request)
{
    __irkiss_free(request);
}

int usb_ep_queue(void *, void *request, u32)
{
    u64 at = __irkiss_offsetof__usb_request__complete();
    if (__irkiss_nondet_bool())
        return -108; /* ESHUTDOWN */
    if (at != ~0ull)
        (void)__irkiss_arm(request, irkiss_field(request, (usize)at));
    return 0;
}

int usb_ep_dequeue(void *, void *)
{
    return irkiss_may_fail(EINVAL);
}

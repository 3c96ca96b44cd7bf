/* USB: requests (URBs), synchronous transfers, registration, references.
 *
 * A submitted URB completes once: its completion is a handler that the submission arms (drivers/usb/core/hcd.c:
 * usb_hcd_submit_urb, __usb_hcd_giveback_urb). What takes it back and waits for it is in the rules.
 */
#include "irkiss_linux.h"

/* ---- Requests. ---- */
/* drivers/usb/core/urb.c: usb_alloc_urb clears it (usb_init_urb); one struct usb_iso_packet_descriptor for each packet. */
#define LARGE 1024 /* where debug info does not tell how large a request is */
#define PACKET 16
#define PIPE_IN 0x80u
void *usb_alloc_urb(int packets, u32)
{
    u64 size = __irkiss_urb_size();
    if (__irkiss_nondet_bool())
        return NULL;
    return __irkiss_alloc((size ? size : LARGE) + (u64)packets * PACKET, 1);
}

/* A reference that is dropped; the memory stays, for its reuse is not modelled. */
void usb_free_urb(void *)
{
}

void *usb_get_urb(void *urb)
{
    return urb;
}

int usb_submit_urb(void *urb, u32)
{
    int error = irkiss_may_fail(ENODEV);
    _Bool poisoned;
    if (!urb)
        return -EINVAL;
    if (error)
        return error;
    IRKISS_ATOMIC(poisoned = __irkiss_ghost_get(urb, IRKISS_GHOST_DISABLED) != 0);
    if (poisoned)
        return -EPERM;
    (void)__irkiss_arm(urb, __irkiss_urb_complete(urb));
    return 0;
}

u64 __irkiss_offsetof__urb__status(void);
u64 __irkiss_offsetof__urb__actual_length(void);
u64 __irkiss_offsetof__urb__transfer_buffer_length(void);
u64 __irkiss_offsetof__urb__transfer_buffer(void);
u64 __irkiss_offsetof__urb__pipe(void);
#define SEEN 16 /* bytes of data that differ from one completion to the next */

static void set(char *urb, u64 at, u32 value)
{
    if (at != IRKISS_NO_OFFSET)
        __irkiss_core_writes(urb + at, value);
}

/* What a device answers, before the completion is called (drivers/usb/core/hcd.c: __usb_hcd_giveback_urb sets urb->status, host controllers
 * the length): success, or an error; as many bytes as were asked for, or less; of an IN pipe the first ones are arbitrary. What completes
 * because it is taken back (-ENOENT, -ECONNRESET) is not looked at.
 */
IRKISS_ASSUMES("usb-answers")
void __irkiss_urb_is_done(char *urb)
{
    u64 length_at = __irkiss_offsetof__urb__transfer_buffer_length(), pipe_at = __irkiss_offsetof__urb__pipe();
    u64 data_at = __irkiss_offsetof__urb__transfer_buffer();
    u32 error = __irkiss_nondet_u32(), actual = __irkiss_nondet_u32(), length = 1u << 16;
    void *data;
    if (!urb)
        return;
    if (length_at != IRKISS_NO_OFFSET)
        length = __irkiss_core_reads(urb + length_at);
    __irkiss_assume(error <= MAX_ERRNO && error != ENOENT && error != ECONNRESET && actual <= length);
    set(urb, __irkiss_offsetof__urb__status(), 0u - error);
    set(urb, __irkiss_offsetof__urb__actual_length(), actual);
    if (length_at == IRKISS_NO_OFFSET || data_at == IRKISS_NO_OFFSET || pipe_at == IRKISS_NO_OFFSET || !(__irkiss_core_reads(urb + pipe_at) & PIPE_IN))
        return;
    data = irkiss_field(urb, (usize)data_at);
    if (data && length)
        __irkiss_core_fills(data, length < SEEN ? length : SEEN);
}

int usb_unlink_urb(void *)
{
    return __irkiss_nondet_bool() ? -EINPROGRESS : -EBUSY;
}

/* ---- Anchors: lists of requests. ---- */
void usb_anchor_urb(void *urb, void *anchor)
{
    IRKISS_ATOMIC(__irkiss_ghost_set(urb, IRKISS_GHOST_ANCHOR, (u64)(uptr)anchor));
}

void usb_unanchor_urb(void *urb)
{
    if (urb)
        IRKISS_ATOMIC(__irkiss_ghost_set(urb, IRKISS_GHOST_ANCHOR, 0));
}

void usb_scuttle_anchored_urbs(void *)
{
}

/* ---- Transfers that wait. Data of an IN pipe is arbitrary. ---- */

static int transfer(u32 pipe, void *data, u64 size, int *actual)
{
    u32 count;
    int error = irkiss_may_fail(EPIPE);
    if (size) {
        if (pipe & PIPE_IN)
            __irkiss_havoc(data, size);
        else
            __irkiss_touch(data, size);
    }
    count = __irkiss_nondet_u32();
    __irkiss_assume(count <= size);
    if (actual)
        *actual = (int)count;
    return error;
}

int usb_control_msg(void *, u32 pipe, u8, u8, u16, u16, void *data, u16 size, int)
{
    int count = 0;
    int error = transfer(pipe, data, size, &count);
    return error ? error : count;
}

/* All of it, or an error. */
int usb_control_msg_recv(void *, u8, u8, u8, u16, u16, void *data, u16 size, int, u32)
{
    return transfer(PIPE_IN, data, size, NULL);
}

int usb_control_msg_send(void *, u8, u8, u8, u16, u16, const void *data, u16 size, int, u32)
{
    return transfer(0, (void *)data, size, NULL);
}

int usb_bulk_msg(void *, u32 pipe, void *data, int size, int *actual, int)
{
    return transfer(pipe, data, (u64)(s64)size, actual);
}

int usb_interrupt_msg(void *device, u32 pipe, void *data, int size, int *actual, int timeout)
{
    return usb_bulk_msg(device, pipe, data, size, actual, timeout);
}

int usb_get_descriptor(void *, u8, u8, void *data, int size)
{
    int count = 0;
    int error = transfer(PIPE_IN, data, (u64)(s64)size, &count);
    return error ? error : count;
}

int usb_string(void *, int, char *buffer, usize size)
{
    int count = 0;
    int error = transfer(PIPE_IN, buffer, size, &count);
    return error ? error : count;
}

void *usb_alloc_coherent(void *, usize size, u32, irkiss_bus_address *bus_address)
{
    if (__irkiss_nondet_bool())
        return NULL;
    *bus_address = (irkiss_bus_address)__irkiss_nondet_u64();
    return __irkiss_alloc(size, 0);
}

void usb_free_coherent(void *, usize, void *memory, u64)
{
    if (memory)
        __irkiss_free(memory);
}

/* ---- Descriptors. ---- */
static void *endpoint(void)
{
    return __irkiss_lazy(0, "usb_endpoint_descriptor");
}

/* The pointers that are not null are those that must be found. */
int usb_find_common_endpoints(void *, void **bulk_in, void **bulk_out, void **int_in, void **int_out)
{
    if (__irkiss_nondet_bool())
        return -ENXIO;
    if (bulk_in)
        *bulk_in = endpoint();
    if (bulk_out)
        *bulk_out = endpoint();
    if (int_in)
        *int_in = endpoint();
    if (int_out)
        *int_out = endpoint();
    return 0;
}

int usb_find_common_endpoints_reverse(void *alternate, void **bulk_in, void **bulk_out, void **int_in, void **int_out)
{
    return usb_find_common_endpoints(alternate, bulk_in, bulk_out, int_in, int_out);
}

/* ---- References. ---- */
void *usb_get_dev(void *device)
{
    return device;
}

void usb_put_dev(void *)
{
}

void *usb_get_intf(void *interface)
{
    return interface;
}

void usb_put_intf(void *)
{
}

/* Of an interface that nobody else wakes up nothing is said after its own wake-up here: resume is an entry point of its own. */
int usb_autopm_get_interface(void *interface)
{
    int error = irkiss_may_fail(EIO);
    if (!error)
        irkiss_use(interface, 1);
    return error;
}

int usb_autopm_get_interface_async(void *interface)
{
    int error = irkiss_may_fail(EIO);
    if (!error)
        irkiss_use(interface, 0);
    return error;
}

void usb_autopm_get_interface_no_resume(void *interface)
{
    irkiss_use(interface, 0);
}

void usb_autopm_put_interface(void *interface)
{
    irkiss_unuse(interface);
}

void usb_autopm_put_interface_async(void *interface)
{
    irkiss_unuse(interface);
}

void usb_autopm_put_interface_no_suspend(void *interface)
{
    irkiss_unuse(interface);
}

int usb_set_interface(void *, int, int)
{
    return irkiss_may_fail(EPIPE);
}

int usb_clear_halt(void *, int)
{
    return irkiss_may_fail(EPIPE);
}

/* Endpoints of a device: the arrays ep_in and ep_out, by number (include/linux/usb.h). */
void *irkiss_model__usb_pipe_endpoint(void *, u32)
{
    return __irkiss_nondet_bool() ? NULL : __irkiss_lazy(0, "usb_host_endpoint");
}

u16 irkiss_model__usb_maxpacket(void *, int)
{
    return __irkiss_nondet_u16();
}

/* ---- Descriptors of a communication device (include/linux/usb/cdc.h). ---- */
struct cdc_parsed_header {
    void *descriptors[14];
    _Bool phonet_magic_present;
};
#define DESCRIPTOR 256u /* a length of one byte */

/* Finds them in the buffer, one of each kind, of which some may be missing (drivers/usb/core/message.c: cdc_parse_cdc_header). */
int cdc_parse_cdc_header(struct cdc_parsed_header *header, void *, u8 *buffer, int length)
{
    unsigned int kind;
    int found = 0;
    for (kind = 0; kind < 14; kind++) {
        _Bool there = length > 0 && __irkiss_nondet_bool();
        header->descriptors[kind] = there ? buffer + kind * DESCRIPTOR : NULL;
        found += there;
    }
    header->phonet_magic_present = length > 0 && __irkiss_nondet_bool();
    return irkiss_may_fail(EINVAL) ? -EINVAL : found;
}

/* Clients of engines that move memory (include/linux/dmaengine.h, drivers/dma/dmaengine.c). What a client prepares on a channel is a
 * descriptor; once it is submitted and the channel told to begin, the engine calls its callback. The engine is another module's, so its
 * functions are named after the fields that lead to them. One transfer of a channel is known at a time: the one that was submitted last.
 */
#include "irkiss_linux.h"

#define FIELD(name) __asm__(name)

u64 __irkiss_sizeof__dma_async_tx_descriptor(void);
u64 __irkiss_offsetof__dma_async_tx_descriptor__chan(void);
u64 __irkiss_offsetof__dma_async_tx_descriptor__callback(void);
u64 __irkiss_offsetof__dma_async_tx_descriptor__callback_result(void);

/* A descriptor of that channel, or none. */
static void *prepared(void *channel)
{
    u64 size = __irkiss_sizeof__dma_async_tx_descriptor(), at = __irkiss_offsetof__dma_async_tx_descriptor__chan();
    char *descriptor;
    if (__irkiss_nondet_bool())
        return NULL;
    if (!size || at == IRKISS_NO_OFFSET)
        return __irkiss_lazy(0, "dma_async_tx_descriptor");
    descriptor = __irkiss_alloc(size, 1);
    *(void *volatile *)(descriptor + at) = channel;
    return descriptor;
}

void *prep_slave_sg(void *channel, void *, unsigned int, int, unsigned long, void *) FIELD("dma_device.device_prep_slave_sg");
void *prep_slave_sg(void *channel, void *, unsigned int, int, unsigned long, void *)
{
    return prepared(channel);
}

void *prep_cyclic(void *channel, u64, usize, usize, int, unsigned long) FIELD("dma_device.device_prep_dma_cyclic");
void *prep_cyclic(void *channel, u64, usize, usize, int, unsigned long)
{
    return prepared(channel);
}

void *prep_interleaved(void *channel, void *, unsigned long) FIELD("dma_device.device_prep_interleaved_dma");
void *prep_interleaved(void *channel, void *, unsigned long)
{
    return prepared(channel);
}

void *prep_memcpy(void *channel, u64, u64, usize, unsigned long) FIELD("dma_device.device_prep_dma_memcpy");
void *prep_memcpy(void *channel, u64, u64, usize, unsigned long)
{
    return prepared(channel);
}

/* Puts it into the channel's list; the cookie is a number above 0 (drivers/dma/dmaengine.h: dma_cookie_assign). */
int submit(void *descriptor) FIELD("dma_async_tx_descriptor.tx_submit");
int submit(void *descriptor)
{
    u64 at = __irkiss_offsetof__dma_async_tx_descriptor__chan();
    u32 cookie = __irkiss_nondet_u32() >> 1;
    __irkiss_assume(cookie != 0);
    if (at != IRKISS_NO_OFFSET)
        IRKISS_ATOMIC(__irkiss_ghost_set(*(void *volatile *)((char *)descriptor + at), IRKISS_GHOST_SUBMITTED, (u64)(uptr)descriptor));
    return (int)cookie;
}

/* The function that is told of the end, if there is one (drivers/dma/dmaengine.h: dmaengine_desc_get_callback_invoke). */
static const void *callback_of(const void *descriptor)
{
    u64 with_result = __irkiss_offsetof__dma_async_tx_descriptor__callback_result();
    u64 plain = __irkiss_offsetof__dma_async_tx_descriptor__callback();
    const void *found = with_result == IRKISS_NO_OFFSET ? NULL : irkiss_field(descriptor, with_result);
    if (!found && plain != IRKISS_NO_OFFSET)
        found = irkiss_field(descriptor, plain);
    return found;
}

void issue_pending(void *channel) FIELD("dma_device.device_issue_pending");
/* One that was submitted before, and has not begun or has not ended, has no callback any more. */
IRKISS_ASSUMES("last-transfer")
void issue_pending(void *channel)
{
    void *descriptor;
    const void *function;
    IRKISS_ATOMIC(descriptor = (void *)(uptr)__irkiss_ghost_get(channel, IRKISS_GHOST_SUBMITTED));
    if (!descriptor)
        return;
    IRKISS_ATOMIC(__irkiss_ghost_set(channel, IRKISS_GHOST_SUBMITTED, 0); __irkiss_ghost_set(channel, IRKISS_GHOST_ISSUED, (u64)(uptr)descriptor));
    function = callback_of(descriptor);
    if (function)
        (void)__irkiss_arm(descriptor, function);
}

/* The transfer that was begun last. */
static void end(void *channel, u32 effects)
{
    void *descriptor;
    IRKISS_ATOMIC(descriptor = (void *)(uptr)__irkiss_ghost_get(channel, IRKISS_GHOST_ISSUED));
    if (descriptor)
        (void)__irkiss_cancel(descriptor, effects);
}

/* A callback that has begun goes on (include/linux/dmaengine.h: dmaengine_terminate_async). */
int terminate_all(void *channel) FIELD("dma_device.device_terminate_all");
int terminate_all(void *channel)
{
    end(channel, IRKISS_DISARMS);
    return 0;
}

void synchronize(void *channel) FIELD("dma_device.device_synchronize");
void synchronize(void *channel)
{
    end(channel, IRKISS_WAITS);
}

/* An engine without a function that waits has nothing to wait for. */
int irkiss_model__dmaengine_terminate_sync(void *channel)
{
    end(channel, IRKISS_DISARMS | IRKISS_WAITS);
    return 0;
}

void irkiss_model__dmaengine_synchronize(void *channel)
{
    end(channel, IRKISS_WAITS);
}

/* drivers/dma/dmaengine.c: dma_chan_put waits (dmaengine_synchronize) and frees what the channel has. */
void dma_release_channel(void *channel)
{
    end(channel, IRKISS_DISARMS | IRKISS_WAITS);
}

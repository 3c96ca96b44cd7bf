/* Virtqueues (drivers/virtio/virtio_ring.c): what was added last comes back, once, or nothing does. The buffers belong to the
 * device between; what it writes there is not modelled as happening by itself: getting a buffer back tells how much. The
 * driver serialises operations on one queue. */
#include "irkiss_linux.h"

static int add(void *queue, void *data)
{
    if (__irkiss_nondet_bool())
        return -28; /* ENOSPC */
    IRKISS_ATOMIC(__irkiss_ghost_set(queue, IRKISS_GHOST_HANDLE, (u64)(uptr)data));
    return 0;
}

int virtqueue_add_inbuf(void *queue, void *, unsigned int, void *data, u32)
{
    return add(queue, data);
}

int virtqueue_add_inbuf_ctx(void *queue, void *, unsigned int, void *data, void *context, u32)
{
    int error = add(queue, data);
    if (!error)
        IRKISS_ATOMIC(__irkiss_ghost_set(queue, IRKISS_GHOST_CONTEXT, (u64)(uptr)context));
    return error;
}

int virtqueue_add_outbuf(void *queue, void *, unsigned int, void *data, u32)
{
    return add(queue, data);
}

int virtqueue_add_sgs(void *queue, void **, unsigned int, unsigned int, void *data, u32)
{
    return add(queue, data);
}

static void *take(void *queue)
{
    u64 data;
    if (__irkiss_nondet_bool())
        return NULL;
    __irkiss_atomic_begin();
    data = __irkiss_ghost_get(queue, IRKISS_GHOST_HANDLE);
    __irkiss_ghost_set(queue, IRKISS_GHOST_HANDLE, 0);
    __irkiss_atomic_end();
    return (void *)(uptr)data;
}

void *virtqueue_get_buf(void *queue, unsigned int *length)
{
    void *data = take(queue);
    if (data)
        *length = __irkiss_nondet_u32();
    return data;
}

void *virtqueue_get_buf_ctx(void *queue, unsigned int *length, void **context)
{
    void *data = virtqueue_get_buf(queue, length);
    if (data && context)
        IRKISS_ATOMIC(*context = (void *)(uptr)__irkiss_ghost_get(queue, IRKISS_GHOST_CONTEXT));
    return data;
}

void *virtqueue_detach_unused_buf(void *queue)
{
    return take(queue);
}

/* ---- Scatter lists: struct scatterlist starts with page_link, offset, length (include/linux/scatterlist.h). ---- */
struct irkiss_scatterlist {
    unsigned long page_link;
    u32 offset, length;
};

void sg_init_one(void *list, const void *, unsigned int)
{
    __irkiss_havoc(list, sizeof(struct irkiss_scatterlist));
}

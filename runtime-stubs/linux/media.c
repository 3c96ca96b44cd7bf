/* Devices of V4L2 (drivers/media/v4l2-core/v4l2-device.c), and contexts of mem-to-mem devices (v4l2-mem2mem.c): the driver sets up the
 * two queues of a new context while it waits for it.
 */
#include "irkiss_linux.h"

u64 __irkiss_sizeof__v4l2_m2m_ctx(void);
u64 __irkiss_offsetof__v4l2_m2m_ctx__q_lock(void);
u64 __irkiss_offsetof__v4l2_m2m_ctx__m2m_dev(void);
u64 __irkiss_offsetof__v4l2_m2m_ctx__priv(void);
u64 __irkiss_offsetof__v4l2_m2m_ctx__cap_q_ctx(void);
u64 __irkiss_offsetof__v4l2_m2m_ctx__out_q_ctx(void);
u64 __irkiss_offsetof__v4l2_m2m_queue_ctx__q(void);
u64 __irkiss_offsetof__v4l2_m2m_queue_ctx__rdy_queue(void);
u64 __irkiss_offsetof__vb2_queue__lock(void);
u64 __irkiss_offsetof__vb2_queue__num_buffers(void);
u64 __irkiss_offsetof__vb2_buffer__vb2_queue(void);
u64 __irkiss_offsetof__file__private_data(void);
u64 __irkiss_offsetof__v4l2_fh__m2m_ctx(void);
void mutex_lock(void *lock);
void mutex_unlock(void *lock);

static void set(char *object, u64 at, const void *pointer)
{
    if (at != IRKISS_NO_OFFSET)
        *(const void **)(object + at) = pointer;
}

/* The queue of one direction; its list of buffers is empty. */
static char *new_queue(char *half)
{
    u64 list = __irkiss_offsetof__v4l2_m2m_queue_ctx__rdy_queue();
    if (list != IRKISS_NO_OFFSET) {
        set(half, list, half + list);
        set(half, list + sizeof(void *), half + list);
    }
    return half + __irkiss_offsetof__v4l2_m2m_queue_ctx__q();
}

/* Of the contexts the last one: what jobs are of. */
static char *context_of_jobs;

void *v4l2_m2m_ctx_init(void *device, void *private, int (*queue_init)(void *, void *, void *))
{
    u64 out = __irkiss_offsetof__v4l2_m2m_ctx__out_q_ctx(), cap = __irkiss_offsetof__v4l2_m2m_ctx__cap_q_ctx();
    u64 lock = __irkiss_offsetof__vb2_queue__lock();
    char *context, *source, *destination;
    int error;
    if (__irkiss_nondet_bool())
        return irkiss_error_pointer(ENOMEM);
    if (out == IRKISS_NO_OFFSET || cap == IRKISS_NO_OFFSET || __irkiss_offsetof__v4l2_m2m_queue_ctx__q() == IRKISS_NO_OFFSET)
        return __irkiss_lazy(0, "v4l2_m2m_ctx");
    context = __irkiss_alloc(__irkiss_sizeof__v4l2_m2m_ctx(), 1);
    set(context, __irkiss_offsetof__v4l2_m2m_ctx__priv(), private);
    set(context, __irkiss_offsetof__v4l2_m2m_ctx__m2m_dev(), device);
    source = new_queue(context + out);
    destination = new_queue(context + cap);
    error = queue_init(private, source, destination);
    if (error)
        return irkiss_error_pointer(-error);
    if (lock != IRKISS_NO_OFFSET)
        set(context, __irkiss_offsetof__v4l2_m2m_ctx__q_lock(), irkiss_field(source, (usize)lock));
    context_of_jobs = context;
    return context;
}

/* The queue of a direction (v4l2-mem2mem.c: get_queue_ctx; include/uapi/linux/videodev2.h: V4L2_TYPE_IS_OUTPUT). */
void *v4l2_m2m_get_vq(char *context, u32 type)
{
    u64 out = __irkiss_offsetof__v4l2_m2m_ctx__out_q_ctx(), cap = __irkiss_offsetof__v4l2_m2m_ctx__cap_q_ctx();
    u64 q = __irkiss_offsetof__v4l2_m2m_queue_ctx__q();
    /* VIDEO_OUTPUT, VBI_OUTPUT, SLICED_VBI_OUTPUT, VIDEO_OUTPUT_OVERLAY, VIDEO_OUTPUT_MPLANE, SDR_OUTPUT, META_OUTPUT */
    const u32 outputs = 1u << 2 | 1u << 5 | 1u << 7 | 1u << 8 | 1u << 10 | 1u << 12 | 1u << 14;
    if (out == IRKISS_NO_OFFSET || cap == IRKISS_NO_OFFSET || q == IRKISS_NO_OFFSET)
        return __irkiss_lazy(0, "vb2_queue");
    if (!context)
        return NULL;
    return context + (type < 32 && (outputs >> type & 1) ? out : cap) + q;
}

/* A queue that streams has buffers (drivers/media/common/videobuf2/videobuf2-core.c: vb2_core_streamon, vb2_core_qbuf), so that it is busy
 * (vb2_is_busy). The core counts them with the lock of the queue held. */
void __irkiss_queue_has_buffers(void *queue)
{
    u64 at = __irkiss_offsetof__vb2_queue__num_buffers();
    char *count = (char *)queue + at;
    u32 buffers = __irkiss_nondet_u32();
    __irkiss_assume(buffers >= 1 && buffers <= 32);
    if (queue && at != IRKISS_NO_OFFSET && !__irkiss_core_reads(count))
        __irkiss_core_writes(count, buffers);
}

/* Whoever asks for buffers beside those that are there says how many planes they have. */
void __irkiss_queue_is_set_up(const void *queue, const void *, const void *planes)
{
    u64 at = __irkiss_offsetof__vb2_queue__num_buffers();
    if (queue && planes && at != IRKISS_NO_OFFSET)
        __irkiss_assume(!__irkiss_core_reads((const char *)queue + at) || __irkiss_core_reads(planes));
}

/* A buffer that is prepared or queued is one of its queue's. */
void __irkiss_buffer_is_of_queue(void *buffer)
{
    u64 at = __irkiss_offsetof__vb2_buffer__vb2_queue();
    if (buffer && at != IRKISS_NO_OFFSET)
        __irkiss_queue_has_buffers(irkiss_field(buffer, (usize)at));
}

/* Once it streams no more, its buffers may be given back (vb2_core_reqbufs). */
void __irkiss_queue_may_be_emptied(void *queue)
{
    u64 at = __irkiss_offsetof__vb2_queue__num_buffers();
    if (queue && at != IRKISS_NO_OFFSET && __irkiss_nondet_bool())
        __irkiss_core_writes((char *)queue + at, 0);
}

/* IRKISS_GHOST_ACTIVE: whether a job runs (struct v4l2_m2m_dev: curr_ctx). */
static const char job;

/* Both queues of the context have buffers: they stream, which they have begun to do under their lock. */
static void queues_stream(_Bool begins)
{
    u64 out = __irkiss_offsetof__v4l2_m2m_ctx__out_q_ctx(), cap = __irkiss_offsetof__v4l2_m2m_ctx__cap_q_ctx();
    u64 q = __irkiss_offsetof__v4l2_m2m_queue_ctx__q(), at = __irkiss_offsetof__vb2_queue__lock();
    char *context = context_of_jobs;
    void *lock;
    if (!context || out == IRKISS_NO_OFFSET || cap == IRKISS_NO_OFFSET || q == IRKISS_NO_OFFSET)
        return;
    lock = at == IRKISS_NO_OFFSET ? NULL : irkiss_field(context + out + q, (usize)at);
    /* Who has the lock has not yet begun to stream, or was so far before. */
    __irkiss_atomic_begin();
    if (lock) {
        u64 owner = __irkiss_ghost_get(lock, IRKISS_GHOST_OWNER);
        __irkiss_assume(owner == 0 || owner == irkiss_me());
    }
    if (begins) {
        __irkiss_assume(!__irkiss_ghost_get(&job, IRKISS_GHOST_ACTIVE));
        __irkiss_ghost_set(&job, IRKISS_GHOST_ACTIVE, 1);
    }
    __irkiss_queue_has_buffers(context + out + q);
    __irkiss_queue_has_buffers(context + cap + q);
    __irkiss_atomic_end();
}

/* A driver is asked whether a job may begin where both queues of its context stream (v4l2-mem2mem.c: __v4l2_m2m_try_queue). */
void __irkiss_job_is_tried(const void *)
{
    queues_stream(0);
}

/* A job begins where they do, until it is over (v4l2_m2m_cancel_job), and no other one before (v4l2_m2m_try_run). */
void __irkiss_job_begins(const void *)
{
    queues_stream(1);
}

void v4l2_m2m_job_finish(const void *, const void *)
{
    IRKISS_ATOMIC(__irkiss_ghost_set(&job, IRKISS_GHOST_ACTIVE, 0));
}

/* The buffers go back to who dequeues them. */
void v4l2_m2m_buf_done_and_job_finish(const void *device, const void *context, u32)
{
    v4l2_m2m_job_finish(device, context);
}

/* The context of an open file, if its driver makes one (drivers/media/v4l2-core/v4l2-ioctl.c: v4l2_ioctl_get_lock). */
static void *lock_of_file(const char *file)
{
    u64 data = __irkiss_offsetof__file__private_data(), context = __irkiss_offsetof__v4l2_fh__m2m_ctx();
    u64 at = __irkiss_offsetof__v4l2_m2m_ctx__q_lock();
    char *made, *handle;
    if (!context_of_jobs || data == IRKISS_NO_OFFSET || context == IRKISS_NO_OFFSET || at == IRKISS_NO_OFFSET)
        return NULL;
    handle = irkiss_field(file, (usize)data);
    made = handle ? irkiss_field(handle, (usize)context) : NULL;
    return made ? irkiss_field(made, (usize)at) : NULL;
}

/* Around an ioctl of queues. */
void __irkiss_queue_ioctl_begins(const char *file)
{
    void *lock = lock_of_file(file);
    if (lock)
        mutex_lock(lock);
}

void __irkiss_queue_ioctl_ends(const char *file)
{
    void *lock = lock_of_file(file);
    if (lock)
        mutex_unlock(lock);
}

/* drivers/media/v4l2-core/v4l2-device.c. */
u64 __irkiss_offsetof__v4l2_device__dev(void);
u64 __irkiss_offsetof__device__driver_data(void);

int v4l2_device_register(void *device, char *own)
{
    u64 data = __irkiss_offsetof__device__driver_data();
    if (!own)
        return -EINVAL;
    set(own, __irkiss_offsetof__v4l2_device__dev(), device);
    /* Without a device it needs a name. */
    if (device && data != IRKISS_NO_OFFSET && !irkiss_field(device, (usize)data))
        set(device, data, own);
    return device ? 0 : irkiss_may_fail(EINVAL);
}

/* ---- Handles of open files (drivers/media/v4l2-core/v4l2-fh.c). Of each node IRKISS_GHOST_COUNT counts them: the first opens a device that
 * nobody uses. ---- */
u64 __irkiss_offsetof__v4l2_fh__vdev(void);
static const char node;

/* Handles that the core makes, which IRKISS_GHOST_KIND tells, are of one node: all files are. */
static const void *node_of(const char *handle)
{
    u64 at = __irkiss_offsetof__v4l2_fh__vdev(), by_core;
    const void *own;
    IRKISS_ATOMIC(by_core = __irkiss_ghost_get(handle, IRKISS_GHOST_KIND));
    own = by_core || at == IRKISS_NO_OFFSET ? NULL : irkiss_field(handle, (usize)at);
    return own ? own : &node;
}

void v4l2_fh_add(const char *handle)
{
    const void *own = node_of(handle);
    IRKISS_ATOMIC(__irkiss_ghost_set(own, IRKISS_GHOST_COUNT, __irkiss_ghost_get(own, IRKISS_GHOST_COUNT) + 1));
}

void v4l2_fh_del(const char *handle)
{
    const void *own = node_of(handle);
    u64 count;
    __irkiss_atomic_begin();
    count = __irkiss_ghost_get(own, IRKISS_GHOST_COUNT);
    if (count)
        __irkiss_ghost_set(own, IRKISS_GHOST_COUNT, count - 1);
    __irkiss_atomic_end();
}

int v4l2_fh_is_singular(const char *handle)
{
    const void *own;
    u64 count;
    if (!handle)
        return 0;
    own = node_of(handle);
    IRKISS_ATOMIC(count = __irkiss_ghost_get(own, IRKISS_GHOST_COUNT));
    /* None that was added here. */
    return count ? count == 1 : __irkiss_nondet_bool();
}

/* What stands in such a handle is not followed. */
int v4l2_fh_open(char *file)
{
    char *handle;
    if (__irkiss_nondet_bool())
        return -ENOMEM;
    handle = __irkiss_lazy(0, "v4l2_fh");
    IRKISS_ATOMIC(__irkiss_ghost_set(handle, IRKISS_GHOST_KIND, 1));
    set(file, __irkiss_offsetof__file__private_data(), handle);
    v4l2_fh_add(handle);
    return 0;
}

/* A handle of the core's is not given back here: it lives as what comes from outside does. */
int v4l2_fh_release(char *file)
{
    u64 data = __irkiss_offsetof__file__private_data();
    char *handle = data == IRKISS_NO_OFFSET ? NULL : irkiss_field(file, (usize)data);
    if (handle) {
        v4l2_fh_del(handle);
        set(file, data, NULL);
    }
    return 0;
}

/* drivers/media/v4l2-core/v4l2-common.c: the entry whose size is nearest; of those the last, or the first that fits exactly. */
static u32 distance(const char *number, s32 wanted)
{
    s32 away = (s32)(*(const u32 *)number - (u32)wanted);
    return away < 0 ? 0u - (u32)away : (u32)away;
}

const void *__v4l2_find_nearest_size(const char *array, usize count, usize size, usize width_at, usize height_at, s32 width, s32 height)
{
    const char *best = NULL;
    u32 least = ~0u;
    usize i;
    if (!array)
        return NULL;
    for (i = 0; i < count; i++, array += size) {
        u32 away = distance(array + width_at, width) + distance(array + height_at, height);
        if (away > least || !least)
            continue;
        least = away;
        best = array;
    }
    return best;
}

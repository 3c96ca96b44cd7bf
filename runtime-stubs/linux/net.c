/* Network: buffers and their queues, sockets' and streams' locks, numbers that stand for objects.
 *
 * A queue is modelled as the list that it is: struct sk_buff starts with next and prev; struct sk_buff_head with next, prev,
 * the length and the lock (include/linux/skbuff.h, both the same from 4.15 to 6.12). Each function holds the queue's own lock
 * (net/core/skbuff.c), so it is one step, and waits for who holds that lock. What is in a
 * buffer depends on the configuration: its fields are arbitrary.
 */
#include "irkiss_linux.h"

struct irkiss_buffer {
    struct irkiss_buffer *next, *prev;
};

struct sk_buff_head {
    struct irkiss_buffer *next, *prev;
    u32 qlen;
};

u64 __irkiss_offsetof__sk_buff_head__lock(void);

unsigned long _raw_spin_lock_irqsave(void *lock);
void _raw_spin_unlock_irqrestore(void *lock, unsigned long flags);

/* The queue's own lock: behind the length, unless debug info says how far behind. */
static void *lock_of(struct sk_buff_head *queue)
{
    u64 offset = __irkiss_offsetof__sk_buff_head__lock();
    return (char *)queue + (offset == ~0ull ? sizeof(void *) * 2 + sizeof(queue->qlen) : offset);
}

/* One step, with that lock held. */
#define LOCKED(queue, ...) \
    do { \
        unsigned long flags = _raw_spin_lock_irqsave(lock_of(queue)); \
        __VA_ARGS__; \
        _raw_spin_unlock_irqrestore(lock_of(queue), flags); \
    } while (0)

/* ---- Queues. ---- */
/* Between two neighbours. Within an atomic section. */
static void link_between(struct sk_buff_head *queue, struct irkiss_buffer *buffer, struct irkiss_buffer *before,
                         struct irkiss_buffer *after)
{
    buffer->next = after;
    buffer->prev = before;
    after->prev = buffer;
    before->next = buffer;
    queue->qlen++;
}

static void take_out(struct sk_buff_head *queue, struct irkiss_buffer *buffer)
{
    struct irkiss_buffer *before = buffer->prev, *after = buffer->next;
    buffer->next = NULL;
    buffer->prev = NULL;
    after->prev = before;
    before->next = after;
    queue->qlen--;
}

void skb_queue_tail(struct sk_buff_head *queue, struct irkiss_buffer *buffer)
{
    LOCKED(queue, IRKISS_ATOMIC(link_between(queue, buffer, queue->prev, (struct irkiss_buffer *)queue)));
}

void skb_queue_head(struct sk_buff_head *queue, struct irkiss_buffer *buffer)
{
    LOCKED(queue, IRKISS_ATOMIC(link_between(queue, buffer, (struct irkiss_buffer *)queue, queue->next)));
}

void skb_append(struct irkiss_buffer *old, struct irkiss_buffer *buffer, struct sk_buff_head *queue)
{
    LOCKED(queue, IRKISS_ATOMIC(link_between(queue, buffer, old, old->next)));
}

void skb_unlink(struct irkiss_buffer *buffer, struct sk_buff_head *queue)
{
    LOCKED(queue, IRKISS_ATOMIC(take_out(queue, buffer)));
}

void *skb_dequeue(struct sk_buff_head *queue)
{
    struct irkiss_buffer *buffer;
    unsigned long flags = _raw_spin_lock_irqsave(lock_of(queue));
    __irkiss_atomic_begin();
    buffer = queue->next;
    if (buffer == (struct irkiss_buffer *)queue)
        buffer = NULL;
    else
        take_out(queue, buffer);
    __irkiss_atomic_end();
    _raw_spin_unlock_irqrestore(lock_of(queue), flags);
    return buffer;
}

void *skb_dequeue_tail(struct sk_buff_head *queue)
{
    struct irkiss_buffer *buffer;
    unsigned long flags = _raw_spin_lock_irqsave(lock_of(queue));
    __irkiss_atomic_begin();
    buffer = queue->prev;
    if (buffer == (struct irkiss_buffer *)queue)
        buffer = NULL;
    else
        take_out(queue, buffer);
    __irkiss_atomic_end();
    _raw_spin_unlock_irqrestore(lock_of(queue), flags);
    return buffer;
}

/* The buffers are dropped references: their memory stays. */
static void empty(struct sk_buff_head *queue)
{
    queue->next = (struct irkiss_buffer *)queue;
    queue->prev = (struct irkiss_buffer *)queue;
    queue->qlen = 0;
}

void skb_queue_purge(struct sk_buff_head *queue)
{
    LOCKED(queue, IRKISS_ATOMIC(empty(queue)));
}

void skb_queue_purge_reason(struct sk_buff_head *queue, int)
{
    LOCKED(queue, IRKISS_ATOMIC(empty(queue)));
}

/* ---- Buffers. ---- */
static void *buffer_or_null(void)
{
    return __irkiss_nondet_bool() ? NULL : __irkiss_lazy(0, "sk_buff");
}

void *__alloc_skb(unsigned int, u32, int, int)
{
    return buffer_or_null();
}

void *__netdev_alloc_skb(void *, unsigned int, u32)
{
    return buffer_or_null();
}

void *__napi_alloc_skb(void *, unsigned int, u32)
{
    return buffer_or_null();
}

void *napi_alloc_skb(void *, unsigned int)
{
    return buffer_or_null();
}

void *skb_clone(void *, u32)
{
    return buffer_or_null();
}

void *skb_copy(const void *, u32)
{
    return buffer_or_null();
}

/* Room in a buffer: whoever calls these owns the buffer, so its data is memory of its own. */
static void *room(void)
{
    return __irkiss_lazy(0, "skb_data");
}

void *skb_put(void *, unsigned int)
{
    return room();
}

void *skb_push(void *, unsigned int)
{
    return room();
}

/* Null if the buffer is shorter. */
void *skb_pull(void *, unsigned int)
{
    return __irkiss_nondet_bool() ? NULL : room();
}

void *skb_pull_data(void *, usize)
{
    return __irkiss_nondet_bool() ? NULL : room();
}

void skb_trim(void *, unsigned int)
{
}

int skb_copy_bits(const void *, int, void *to, int size)
{
    if (__irkiss_nondet_bool())
        return -EFAULT;
    __irkiss_havoc(to, (usize)size);
    return 0;
}

/* References. */
void kfree_skb_reason(void *buffer, int)
{
    __irkiss_free_given(buffer);
}

void sk_skb_reason_drop(void *, void *buffer, int)
{
    __irkiss_free_given(buffer);
}

void dev_kfree_skb_any_reason(void *buffer, int)
{
    __irkiss_free_given(buffer);
}

void dev_kfree_skb_irq_reason(void *buffer, int)
{
    __irkiss_free_given(buffer);
}

void consume_skb(void *buffer)
{
    __irkiss_free_given(buffer);
}

void __dev_kfree_skb_any(void *buffer, int)
{
    __irkiss_free_given(buffer);
}

void __dev_kfree_skb_irq(void *buffer, int)
{
    __irkiss_free_given(buffer);
}

/* ---- Locks. A socket's lock sleeps (net/core/sock.c). ---- */
void lock_sock_nested(void *socket, int)
{
    irkiss_lock(socket);
}

void release_sock(void *socket)
{
    irkiss_unlock(socket);
}

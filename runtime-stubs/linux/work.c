/* Work items and their queues (kernel/workqueue.c). Of a queue no more is modelled than what is in it and whether it is ordered: items of others
 * run beside each other, in any order. What runs them is in handlers.c.
 */
#include "irkiss_linux.h"

/* An ordered work queue runs one item at a time: an item waits until none of its queue runs (kernel/workqueue.c: pwq_activate_inactive_work,
 * one active item of __WQ_ORDERED queues; include/linux/workqueue.h: alloc_ordered_workqueue). What it runs in is kept at the item. */
#define IN_ORDER 1ull
#define IN_TURN 2ull

void __irkiss_take_turn(const void *item)
{
    const void *queue = (const void *)(uptr)__irkiss_ghost_get(item, IRKISS_GHOST_ANCHOR);
    u64 order = queue ? __irkiss_ghost_get(queue, IRKISS_GHOST_ORDER) : 0;
    __irkiss_assume(order != IN_TURN);
    if (order == IN_ORDER) {
        __irkiss_ghost_set(queue, IRKISS_GHOST_ORDER, IN_TURN);
        __irkiss_ghost_set(item, IRKISS_GHOST_ORDER, (u64)(uptr)queue);
    }
}

void __irkiss_end_turn(const void *item)
{
    const void *queue = (const void *)(uptr)__irkiss_ghost_get(item, IRKISS_GHOST_ORDER);
    if (queue)
        __irkiss_ghost_set(queue, IRKISS_GHOST_ORDER, IN_ORDER);
    __irkiss_ghost_set(item, IRKISS_GHOST_ORDER, 0);
}

static _Bool queue(void *queue, void *work)
{
    __irkiss_used(queue);
    IRKISS_ATOMIC(__irkiss_ghost_set(work, IRKISS_GHOST_ANCHOR, (u64)(uptr)queue));
    /* A pending item is not queued again. */
    return !__irkiss_arm(work, irkiss_field(work, IRKISS_WORK_FUNC));
}

_Bool queue_work_on(int, void *workqueue, void *work)
{
    return queue(workqueue, work);
}

/* struct delayed_work starts with its work_struct. */
_Bool queue_delayed_work_on(int, void *workqueue, void *work, unsigned long)
{
    return queue(workqueue, work);
}

_Bool mod_delayed_work_on(int, void *workqueue, void *work, unsigned long)
{
    return !queue(workqueue, work);
}

void __init_work(void *, int)
{
}

/* WQ_UNBOUND: with one active item at most the queue becomes an ordered one (kernel/workqueue.c: alloc_workqueue), as those of
 * alloc_ordered_workqueue and create_singlethread_workqueue are. */
#define UNBOUND (1u << 1)

void *alloc_workqueue(const char *, unsigned int flags, int active, ...)
{
    void *queue;
    if (__irkiss_nondet_bool())
        return NULL;
    queue = __irkiss_lazy(0, "workqueue_struct");
    if ((flags & UNBOUND) && active == 1)
        IRKISS_ATOMIC(__irkiss_ghost_set(queue, IRKISS_GHOST_ORDER, IN_ORDER));
    return queue;
}

/* ---- Work in an interrupt (kernel/irq_work.c). ---- */
u64 __irkiss_offsetof__irq_work__func(void);

_Bool irq_work_queue(void *work)
{
    u64 at = __irkiss_offsetof__irq_work__func();
    return at != ~0ull && !__irkiss_arm(work, irkiss_field(work, at));
}

_Bool irq_work_queue_on(void *work, int)
{
    return irq_work_queue(work);
}

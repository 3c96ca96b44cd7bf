/* Interrupts, timers, work, tasklets: what arms a handler, what takes that back, what waits for it.
 *
 * The handler's thread is started by the harness; it waits in __irkiss_handler_begin until its object is armed. What takes
 * it back (del_timer, cancel_work_sync, free_irq, …) has no model here: the rules say what each function does (`[[effect]]` in
 * runtime-stubs/rules/), and the harness makes models of them, which call __irkiss_cancel and its like with the effects:
 * blocks-new (no further start), disarms (a pending start is dropped), waits (a running one has ended).
 */
#include "irkiss_linux.h"

/* For src/analysis/lockset/, by their names: from here on the handler of an object runs, has ended; is not armed and does not run, whatever
 * happened before. Calls of these do nothing. */
void __irkiss_runs(const void *)
{
}

void __irkiss_ran(const void *)
{
}

void __irkiss_over(const void *)
{
}

/* Whether the handler of that cell is one of that interrupt line, and runs. Within an atomic section. */
_Bool __irkiss_runs_on_line(void **slot, u32 irq)
{
    return __irkiss_ghost_get(slot, IRKISS_GHOST_RUNNING) != 0 && __irkiss_ghost_get(slot, IRKISS_GHOST_IRQ) == irq;
}

/* Waits until the object in the cell is armed and not running, and claims it; returns the object. A one-shot object
 * (timer, work) is disarmed by its start, an interrupt action is not. */
static void *begin(void **slot, const void *state, _Bool one_shot, _Bool on_line)
{
    void *object;
    _Bool item = !state;
    __irkiss_atomic_begin();
    object = *slot;
    if (!state)
        state = object;
    __irkiss_assume(state != NULL && __irkiss_ghost_get(state, IRKISS_GHOST_ARMED) != 0);
    __irkiss_assume(__irkiss_ghost_get(state, IRKISS_GHOST_RUNNING) == 0);
    __irkiss_assume(__irkiss_ghost_get(state, IRKISS_GHOST_DISABLED) == 0);
    if (on_line)
        __irkiss_assume(__irkiss_is_line_idle(slot));
    if (item) {
        __irkiss_take_turn(object);
        __irkiss_ghost_set(slot, IRKISS_GHOST_CURRENT, (u64)(uptr)object);
    }
    if (one_shot)
        __irkiss_ghost_set(state, IRKISS_GHOST_ARMED, 0);
    __irkiss_ghost_set(state, IRKISS_GHOST_RUNNING, irkiss_me());
    irkiss_set_active(state, irkiss_me());
    __irkiss_atomic_end();
    return object;
}

static void end(const void *state)
{
    IRKISS_ATOMIC(__irkiss_ghost_set(state, IRKISS_GHOST_RUNNING, 0); irkiss_set_active(state, 0));
}

static void unmark(void *object);

static void after_grace(const void *object)
{
    _Bool grace;
    IRKISS_ATOMIC(grace = __irkiss_grace_begin(object));
    if (grace)
        __irkiss_grace_wait(object);
}

/* Called by the harness around a timer, work or tasklet function, or a callback of RCU, which a grace period precedes. */
void *__irkiss_handler_begin(void **slot)
{
    void *object = begin(slot, NULL, 1, 0);
    IRKISS_ATOMIC(unmark(object));
    after_grace(object);
    return object;
}

/* The same around what is known to be a callback of RCU, and no tasklet. */
void *__irkiss_rcu_begin(void **slot)
{
    void *object = begin(slot, NULL, 1, 0);
    after_grace(object);
    return object;
}

void __irkiss_handler_end(void *object)
{
    IRKISS_ATOMIC(__irkiss_grace_end(object));
    IRKISS_ATOMIC(__irkiss_end_turn(object));
    end(object);
}

/* Called by the harness around an interrupt handler: its state belongs to the cell, because dev_id may be null. */
void *__irkiss_irq_begin(void **slot)
{
    void *device = begin(slot, slot, 0, 1);
    __irkiss_interrupted();
    return device;
}

void __irkiss_irq_end(void **slot)
{
    __irkiss_resumed();
    end(slot);
}

/* Its state holds, by thread number, the cell of the kernel thread that runs there. */
static char threads;

/* Called by the harness around a function that runs once, when the call that names it allows it (a kernel thread). */
void *__irkiss_once_begin(void **slot)
{
    void *data = begin(slot, slot, 1, 0);
    IRKISS_ATOMIC(__irkiss_ghost_set(&threads, IRKISS_GHOST_KTHREAD + (u32)(__irkiss_self() & 63), (u64)(uptr)slot));
    return data;
}

void __irkiss_once_end(void **slot)
{
    end(slot);
}

/* The same of a thread that may be made again: as many run as have been made. */
void *__irkiss_again_begin(void **slot)
{
    void *data;
    u64 made;
    __irkiss_atomic_begin();
    made = __irkiss_ghost_get(slot, IRKISS_GHOST_ARMED);
    __irkiss_assume(made != 0);
    __irkiss_ghost_set(slot, IRKISS_GHOST_ARMED, made - 1);
    __irkiss_assume(__irkiss_ghost_get(slot, IRKISS_GHOST_DISABLED) == 0);
    __irkiss_ghost_set(slot, IRKISS_GHOST_RUNNING, irkiss_me());
    irkiss_set_active(slot, irkiss_me());
    __irkiss_ghost_set(&threads, IRKISS_GHOST_KTHREAD + (u32)(__irkiss_self() & 63), (u64)(uptr)slot);
    data = *slot;
    __irkiss_atomic_end();
    return data;
}

/* Whether two of them can start. Called by the harness before other threads are there. */
_Bool __irkiss_is_made_twice(void **slot)
{
    return __irkiss_ghost_get(slot, IRKISS_GHOST_ARMED) > 1;
}

/* Whether the object in the cell can start. Called by the harness before other threads are there. */
_Bool __irkiss_is_armed(void **slot)
{
    void *object = *slot;
    return (object && __irkiss_ghost_get(object, IRKISS_GHOST_ARMED) != 0) ||
           (__irkiss_ghost_get(slot, IRKISS_GHOST_ARMED) != 0 && __irkiss_ghost_get(slot, IRKISS_GHOST_DISABLED) == 0);
}

/* The number of the interrupt line of an action. */
u32 __irkiss_irq_number(void **slot)
{
    return (u32)__irkiss_ghost_get(slot, IRKISS_GHOST_IRQ);
}

/* Arms an object whose handler is `function`. Whether it was armed before. Also for models in other files. */
_Bool __irkiss_arm(void *object, const void *function)
{
    void **slot = __irkiss_slot(function);
    _Bool pending;
    __irkiss_atomic_begin();
    pending = __irkiss_ghost_get(object, IRKISS_GHOST_ARMED) != 0;
    if (slot && !__irkiss_has_cell(function, object))
        *slot = object;
    __irkiss_ghost_set(object, IRKISS_GHOST_ARMED, 1);
    __irkiss_atomic_end();
    __irkiss_born(function);
    return pending;
}

/* The effects of a call on the object of a handler, in one step. Whether a start was pending. Null is no object. */
_Bool __irkiss_cancel(void *object, u32 effects)
{
    _Bool pending;
    if (!object)
        return 0;
    if (effects & IRKISS_WAITS)
        irkiss_may_await(object);
    __irkiss_atomic_begin();
    /* A handler that waits for itself would never end: the kernel warns and goes on. */
    if (effects & IRKISS_WAITS)
        __irkiss_assume(__irkiss_ghost_get(object, IRKISS_GHOST_RUNNING) == 0 ||
                        __irkiss_ghost_get(object, IRKISS_GHOST_RUNNING) == irkiss_me());
    pending = __irkiss_ghost_get(object, IRKISS_GHOST_ARMED) != 0;
    /* What only waits waits for a pending start too. */
    if ((effects & IRKISS_WAITS) && !(effects & (IRKISS_DISARMS | IRKISS_BLOCKS_NEW)))
        __irkiss_assume(!pending);
    if (effects & IRKISS_DISARMS)
        __irkiss_ghost_set(object, IRKISS_GHOST_ARMED, 0);
    if (effects & IRKISS_BLOCKS_NEW)
        __irkiss_ghost_set(object, IRKISS_GHOST_DISABLED, __irkiss_ghost_get(object, IRKISS_GHOST_DISABLED) + 1);
    __irkiss_atomic_end();
    return pending;
}

/* Takes one IRKISS_BLOCKS_NEW back. A function of its own: whoever calls it may start the handler again. */
void __irkiss_allow(void *object)
{
    if (!object)
        return;
    __irkiss_atomic_begin();
    if (__irkiss_ghost_get(object, IRKISS_GHOST_DISABLED) != 0)
        __irkiss_ghost_set(object, IRKISS_GHOST_DISABLED, __irkiss_ghost_get(object, IRKISS_GHOST_DISABLED) - 1);
    __irkiss_atomic_end();
}

/* Whether an object is in that container: a work queue, an anchor. Within an atomic section. */
static _Bool is_in(const void *object, const void *container)
{
    return object && __irkiss_ghost_get(object, IRKISS_GHOST_ANCHOR) == (u64)(uptr)container;
}

/* The object in the cell, if it is in that container. */
static void *contained(void **slot, const void *container)
{
    void *object;
    IRKISS_ATOMIC(object = *slot; if (!is_in(object, container)) object = NULL);
    return object;
}

/* The object that the handler of the cell was begun for last, if it is in that container and another one is in the cell by now. */
static void *begun(void **slot, const void *container)
{
    void *object;
    IRKISS_ATOMIC(object = (void *)(uptr)__irkiss_ghost_get(slot, IRKISS_GHOST_CURRENT);
                  if (object == *slot || !is_in(object, container)) object = NULL);
    return object;
}

/* The same effects on what is in a container. */
void __irkiss_cancel_contained(void **slot, void *container, u32 effects)
{
    (void)__irkiss_cancel(contained(slot, container), effects);
    if (effects & IRKISS_WAITS)
        (void)__irkiss_cancel(begun(slot, container), effects);
}

void __irkiss_allow_contained(void **slot, void *container)
{
    __irkiss_allow(contained(slot, container));
}

/* The same for the thread of a task (begin_thread notes its cell). One that sleeps since it was made will not begin. */
void __irkiss_cancel_thread(void *task, u32 effects)
{
    u64 slot;
    if (effects & IRKISS_DISARMS)
        IRKISS_ATOMIC(__irkiss_ghost_set(task, IRKISS_GHOST_SLEEPER, 0));
    IRKISS_ATOMIC(slot = __irkiss_ghost_get(task, IRKISS_GHOST_HANDLE);
                  __irkiss_ghost_set((void *)(uptr)slot, IRKISS_GHOST_STOPPING, 1));
    (void)__irkiss_cancel((void *)(uptr)slot, effects);
}

_Bool __irkiss_is_running(void *object)
{
    _Bool running;
    IRKISS_ATOMIC(running = __irkiss_ghost_get(object, IRKISS_GHOST_RUNNING) != 0);
    return running;
}

/* Whether the object in the cell is that object, or in that container, and its handler has still to run. */
_Bool __irkiss_is_pending(void **slot, void *object, void *container)
{
    void *own;
    _Bool meant = 0;
    __irkiss_atomic_begin();
    own = *slot;
    if (own)
        meant = (own == object || (container && is_in(own, container))) &&
                __irkiss_ghost_get(own, IRKISS_GHOST_ARMED) != 0;
    __irkiss_atomic_end();
    return meant;
}

/* ---- Devices that sleep by themselves (src/frontend/harness/sleep.rs): while nobody uses them. ---- */
void __irkiss_sleep(const void *device, _Bool alone)
{
    IRKISS_ATOMIC(__irkiss_assume(!alone || __irkiss_ghost_get(device, IRKISS_GHOST_USERS) == 0);
                  __irkiss_ghost_set(device, IRKISS_GHOST_ASLEEP, alone));
}

void __irkiss_awake(const void *device)
{
    IRKISS_ATOMIC(__irkiss_ghost_set(device, IRKISS_GHOST_ASLEEP, 0));
}

void __irkiss_slept(const void *device, _Bool asleep)
{
    if (!asleep)
        __irkiss_awake(device);
}

/* Who uses a device keeps it awake, and waits until it is. */
void irkiss_use(const void *device, _Bool wait)
{
    IRKISS_ATOMIC(__irkiss_ghost_set(device, IRKISS_GHOST_USERS, __irkiss_ghost_get(device, IRKISS_GHOST_USERS) + 1));
    if (wait)
        IRKISS_ATOMIC(__irkiss_assume(__irkiss_ghost_get(device, IRKISS_GHOST_ASLEEP) == 0));
}

void irkiss_unuse(const void *device)
{
    IRKISS_ATOMIC(__irkiss_ghost_set(device, IRKISS_GHOST_USERS, __irkiss_ghost_get(device, IRKISS_GHOST_USERS) - 1));
}

/* ---- Gates: entry points that need not be armed, but that a call can take back. ---- */
_Bool __irkiss_is_open(void *gate)
{
    return __irkiss_ghost_get(gate, IRKISS_GHOST_DISABLED) == 0;
}

void __irkiss_gate_enter(void *gate)
{
    IRKISS_ATOMIC(__irkiss_assume(__irkiss_ghost_get(gate, IRKISS_GHOST_DISABLED) == 0);
                  __irkiss_ghost_set(gate, IRKISS_GHOST_COUNT, __irkiss_ghost_get(gate, IRKISS_GHOST_COUNT) + 1);
                  irkiss_set_active(gate, irkiss_me()));
}

void __irkiss_gate_leave(void *gate)
{
    IRKISS_ATOMIC(__irkiss_ghost_set(gate, IRKISS_GHOST_COUNT, __irkiss_ghost_get(gate, IRKISS_GHOST_COUNT) - 1);
                  irkiss_set_active(gate, 0));
}

/* The effects of a call, in one step: it goes on in a state in which nobody is behind the gate, if it waits. */
void __irkiss_gate(void *gate, u32 effects)
{
    /* Who waits for the functions of one object may be one of those of another. */
    if (__irkiss_property(IRKISS_DEADLOCK)) {
        _Bool other;
        IRKISS_ATOMIC(other = __irkiss_ghost_get(gate, IRKISS_GHOST_ACTIVE) != irkiss_me());
        if ((effects & IRKISS_WAITS) && other)
            irkiss_may_await(gate);
    }
    __irkiss_atomic_begin();
    if (effects & IRKISS_WAITS)
        __irkiss_assume(__irkiss_ghost_get(gate, IRKISS_GHOST_COUNT) == 0);
    if (effects & IRKISS_BLOCKS_NEW)
        __irkiss_ghost_set(gate, IRKISS_GHOST_DISABLED, 1);
    if (effects & IRKISS_ALLOWS)
        __irkiss_ghost_set(gate, IRKISS_GHOST_DISABLED, 0);
    __irkiss_atomic_end();
}

/* ---- Timers. ---- */
void init_timer_key(void *timer, void (*function)(void *), unsigned int, const char *, void *)
{
    void **slot = __irkiss_slot((const void *)function);
    irkiss_set_up(timer);
    __irkiss_atomic_begin();
    *(void *volatile *)((char *)timer + IRKISS_TIMER_FUNCTION) = (void *)function;
    if (slot)
        *slot = timer;
    __irkiss_ghost_set(timer, IRKISS_GHOST_ARMED, 0);
    __irkiss_ghost_set(timer, IRKISS_GHOST_DISABLED, 0);
    __irkiss_atomic_end();
}

static int start_timer(void *timer)
{
    irkiss_looks_at(timer);
    return __irkiss_arm(timer, irkiss_field(timer, IRKISS_TIMER_FUNCTION));
}

int mod_timer(void *timer, unsigned long)
{
    return start_timer(timer);
}

int mod_timer_pending(void *timer, unsigned long)
{
    _Bool pending;
    IRKISS_ATOMIC(pending = __irkiss_ghost_get(timer, IRKISS_GHOST_ARMED) != 0);
    return pending;
}

int timer_reduce(void *timer, unsigned long)
{
    return start_timer(timer);
}

void add_timer(void *timer)
{
    (void)start_timer(timer);
}

void add_timer_on(void *timer, int)
{
    (void)start_timer(timer);
}

int irkiss_model__timer_pending(const void *timer)
{
    _Bool pending;
    IRKISS_ATOMIC(pending = __irkiss_ghost_get(timer, IRKISS_GHOST_ARMED) != 0);
    return pending;
}

/* ---- Tasklets: tasklet_setup's callback takes the object, tasklet_init's function the number that goes with it. ---- */
static void set_up(void *tasklet, const void *function, unsigned long data)
{
    volatile struct irkiss_tasklet_struct *of = tasklet;
    void **slot = __irkiss_slot(function);
    irkiss_set_up(tasklet);
    __irkiss_atomic_begin();
    of->state = 0;
    of->function = (void *)function;
    of->data = data;
    if (slot)
        *slot = tasklet;
    __irkiss_ghost_set(tasklet, IRKISS_GHOST_ARMED, 0);
    __irkiss_atomic_end();
    /* The thread waits until the tasklet is scheduled. */
    __irkiss_born(function);
}

void tasklet_setup(void *tasklet, void (*callback)(void *))
{
    set_up(tasklet, (const void *)callback, 0);
}

void tasklet_init(void *tasklet, void (*function)(unsigned long), unsigned long data)
{
    set_up(tasklet, (const void *)function, data);
}

/* What is scheduled is marked by the caller (TASKLET_STATE_SCHED: include/linux/interrupt.h), and the mark goes when it begins
 * (kernel/softirq.c: tasklet_action_common). */
static void unmark(void *object)
{
    volatile struct irkiss_tasklet_struct *of = object;
    if (__irkiss_ghost_get(object, IRKISS_GHOST_TASKLET) != 0)
        of->state &= ~1ul;
}

void __tasklet_schedule(void *tasklet)
{
    irkiss_looks_at(tasklet);
    IRKISS_ATOMIC(__irkiss_ghost_set(tasklet, IRKISS_GHOST_TASKLET, 1));
    (void)__irkiss_arm(tasklet, irkiss_field(tasklet, __builtin_offsetof(struct irkiss_tasklet_struct, function)));
}

void __tasklet_hi_schedule(void *tasklet)
{
    __tasklet_schedule(tasklet);
}

/* What is disabled does not begin, as often as that was said; it stays scheduled (kernel/softirq.c: tasklet_action_common). What a
 * driver declares as disabled (DECLARE_TASKLET_DISABLED) is taken to be enabled. */
void irkiss_model__tasklet_disable(void *tasklet)
{
    (void)__irkiss_cancel(tasklet, IRKISS_BLOCKS_NEW | IRKISS_WAITS);
}

void irkiss_model__tasklet_disable_nosync(void *tasklet)
{
    (void)__irkiss_cancel(tasklet, IRKISS_BLOCKS_NEW);
}

void irkiss_model__tasklet_disable_in_atomic(void *tasklet)
{
    (void)__irkiss_cancel(tasklet, IRKISS_BLOCKS_NEW | IRKISS_WAITS);
}

void irkiss_model__tasklet_enable(void *tasklet)
{
    __irkiss_allow(tasklet);
}

/* ---- Interrupts. ---- */
/* A line is enabled by its first action, unless that says IRQF_NO_AUTOEN (kernel/irq/manage.c: __setup_irq). */
#define NO_AUTOEN 0x80000
#define NOT_CONNECTED (1u << 31)

static void request_as(void **slot, u32 irq, unsigned long flags, void *device)
{
    if (!slot)
        return;
    *slot = device;
    __irkiss_ghost_set(slot, IRKISS_GHOST_IRQ, irq);
    __irkiss_ghost_set(slot, IRKISS_GHOST_ARMED, 1);
    __irkiss_ghost_set(slot, IRKISS_GHOST_DISABLED, (flags & NO_AUTOEN) != 0);
}

/* What is an error code in an int is the number of no line (kernel/irq/manage.c: request_threaded_irq, where irq_to_desc finds none). */
static int request(u32 irq, const void *handler, const void *thread, unsigned long flags, void *device)
{
    void **slot = __irkiss_slot(handler);
    void **thread_slot = __irkiss_slot(thread);
    int error;
    if ((int)irq < 0)
        return irq == NOT_CONNECTED ? -ENOTCONN : -EINVAL;
    error = irkiss_may_fail(EBUSY);
    if (error)
        return error;
    __irkiss_atomic_begin();
    request_as(slot, irq, flags, device);
    request_as(thread_slot, irq, flags, device);
    __irkiss_atomic_end();
    __irkiss_born(handler);
    if (thread)
        __irkiss_born(thread);
    return 0;
}

int request_threaded_irq(unsigned int irq, void *handler, void *thread, unsigned long flags, const char *, void *device)
{
    return request(irq, handler, thread, flags, device);
}

int request_any_context_irq(unsigned int irq, void *handler, unsigned long flags, const char *, void *device)
{
    return request(irq, handler, NULL, flags, device);
}

int devm_request_any_context_irq(void *, unsigned int irq, void *handler, unsigned long flags, const char *, void *device)
{
    int error = request(irq, handler, NULL, flags, device);
    if (!error)
        irkiss_manage_interrupt(handler, irq, device);
    return error;
}

/* drivers/pci/irq.c: with IRQF_SHARED. */
int pci_request_irq(void *of, unsigned int nr, void *handler, void *thread, void *device, const char *, ...)
{
    return request((u32)__irkiss_vector(of, nr), handler, thread, 0, device);
}

int devm_request_threaded_irq(void *, unsigned int irq, void *handler, void *thread, unsigned long flags, const char *, void *device)
{
    int error = request(irq, handler, thread, flags, device);
    if (!error) {
        irkiss_manage_interrupt(handler, irq, device);
        irkiss_manage_interrupt(thread, irq, device);
    }
    return error;
}

/* --property deadlock: who waits for the handler of that line and (unless null) device may wait for ever. */
static void await_line(void **slot, u32 irq, const void *device)
{
    if (__irkiss_property(IRKISS_DEADLOCK)) {
        _Bool meant;
        IRKISS_ATOMIC(meant = __irkiss_ghost_get(slot, IRKISS_GHOST_IRQ) == irq && (!device || *slot == device));
        if (meant)
            irkiss_may_await(slot);
    }
}

/* The effects of a call on an interrupt action, if it is that of the line and the device: no further start, and running
 * handlers have ended (kernel/irq/manage.c: __free_irq calls __synchronize_hardirq). */
void __irkiss_free_irq(void **slot, u32 irq, void *device, u32 effects)
{
    if (!slot)
        return;
    if (effects & IRKISS_WAITS)
        await_line(slot, irq, device);
    __irkiss_atomic_begin();
    if (*slot == device && __irkiss_ghost_get(slot, IRKISS_GHOST_IRQ) == irq) {
        if (effects & IRKISS_WAITS)
            __irkiss_assume(__irkiss_ghost_get(slot, IRKISS_GHOST_RUNNING) == 0);
        if (effects & IRKISS_BLOCKS_NEW)
            __irkiss_ghost_set(slot, IRKISS_GHOST_ARMED, 0);
    }
    __irkiss_atomic_end();
}

/* The same for all actions of the line, which can be allowed again as often as it was blocked. */
void __irkiss_mask_irq(void **slot, u32 irq, u32 effects)
{
    u64 depth;
    if (effects & IRKISS_WAITS)
        await_line(slot, irq, NULL);
    __irkiss_atomic_begin();
    if (__irkiss_ghost_get(slot, IRKISS_GHOST_IRQ) == irq) {
        depth = __irkiss_ghost_get(slot, IRKISS_GHOST_DISABLED);
        if (effects & IRKISS_WAITS)
            __irkiss_assume(__irkiss_ghost_get(slot, IRKISS_GHOST_RUNNING) == 0);
        if (effects & IRKISS_BLOCKS_NEW)
            __irkiss_ghost_set(slot, IRKISS_GHOST_DISABLED, depth + 1);
    }
    __irkiss_atomic_end();
}

void __irkiss_unmask_irq(void **slot, u32 irq)
{
    u64 depth;
    __irkiss_atomic_begin();
    depth = __irkiss_ghost_get(slot, IRKISS_GHOST_DISABLED);
    if (__irkiss_ghost_get(slot, IRKISS_GHOST_IRQ) == irq && depth != 0)
        __irkiss_ghost_set(slot, IRKISS_GHOST_DISABLED, depth - 1);
    __irkiss_atomic_end();
}

/* ---- High-resolution timers. ---- */
static s64 clock_time(void)
{
    return (s64)__irkiss_nondet_u64();
}

static struct irkiss_hrtimer_clock_base clock = { .get_time = clock_time };

/* hrtimer_cb_get_time() and hrtimer_expires_remaining() are inline and call base->get_time. */
void hrtimer_init(void *timer, int, int)
{
    struct irkiss_hrtimer *of = timer;
    irkiss_set_up(timer);
    IRKISS_ATOMIC(__irkiss_ghost_set(timer, IRKISS_GHOST_ARMED, 0); of->base = &clock);
}

void hrtimer_start_range_ns(void *timer, s64, u64, int)
{
    irkiss_looks_at(timer);
    (void)__irkiss_arm(timer, irkiss_field(timer, IRKISS_HRTIMER_FUNCTION));
}

/* kernel/time/hrtimer.c: whether it is queued, or its callback runs. */
_Bool hrtimer_active(const void *timer)
{
    _Bool active;
    IRKISS_ATOMIC(active = __irkiss_ghost_get(timer, IRKISS_GHOST_ARMED) != 0 ||
                           __irkiss_ghost_get(timer, IRKISS_GHOST_RUNNING) != 0);
    return active;
}

/* ---- Threads of the kernel. ---- */
/* The thread of a task begins. */
static void begin_thread(void *task, const void *function, void *data)
{
    void **slot = __irkiss_slot(function);
    if (slot)
        IRKISS_ATOMIC(*slot = data;
                      __irkiss_ghost_set(slot, IRKISS_GHOST_ARMED, __irkiss_ghost_get(slot, IRKISS_GHOST_ARMED) + 1);
                      __irkiss_ghost_set(slot, IRKISS_GHOST_STOPPING, 0);
                      __irkiss_ghost_set(task, IRKISS_GHOST_HANDLE, (u64)(uptr)slot));
    __irkiss_born(function);
}

/* kernel/kthread.c: kthread sleeps before it calls the function, until somebody wakes it for the first time. Where the input does not show
 * who does, the function begins at once. */
static void *create_thread(const void *function, void *data)
{
    void *task;
    if (__irkiss_nondet_bool())
        return irkiss_error_pointer(ENOMEM);
    task = __irkiss_lazy(0, "task");
    if (__irkiss_begins_woken(function))
        IRKISS_ATOMIC(__irkiss_ghost_set(task, IRKISS_GHOST_SLEEPER, (u64)(uptr)function);
                      __irkiss_ghost_set(task, IRKISS_GHOST_SLEEPERS_DATA, (u64)(uptr)data));
    else
        begin_thread(task, function, data);
    return task;
}

void *kthread_create_on_node(int (*function)(void *), void *data, int, const char *, ...)
{
    return create_thread((const void *)function, data);
}

void *kthread_create_on_cpu(int (*function)(void *), void *data, unsigned int, const char *)
{
    return create_thread((const void *)function, data);
}

int wake_up_process(void *task)
{
    u64 sleeper;
    IRKISS_ATOMIC(sleeper = __irkiss_ghost_get(task, IRKISS_GHOST_SLEEPER);
                  __irkiss_ghost_set(task, IRKISS_GHOST_SLEEPER, 0));
    if (!sleeper)
        return __irkiss_nondet_bool();
    begin_thread(task, (const void *)(uptr)sleeper, (void *)(uptr)__irkiss_ghost_get(task, IRKISS_GHOST_SLEEPERS_DATA));
    return 1;
}

/* Whether somebody has asked the running thread to stop (kernel/kthread.c: KTHREAD_SHOULD_STOP). Besides the threads at hand others
 * may have, at any time; once asked, it stays asked. */
_Bool kthread_should_stop(void)
{
    u64 slot;
    _Bool asked = 0;
    __irkiss_atomic_begin();
    slot = __irkiss_ghost_get(&threads, IRKISS_GHOST_KTHREAD + (u32)(__irkiss_self() & 63));
    if (slot)
        asked = __irkiss_ghost_get((void *)(uptr)slot, IRKISS_GHOST_STOPPING) != 0;
    if (!asked)
        asked = __irkiss_nondet_bool();
    if (slot && asked)
        __irkiss_ghost_set((void *)(uptr)slot, IRKISS_GHOST_STOPPING, 1);
    __irkiss_atomic_end();
    return asked;
}

/* A thread that is parked waits in kthread_parkme until it is not any more (kernel/kthread.c: __kthread_parkme). Others may ask for that at any
 * time: then it goes on at once. */
static void *own_slot(void)
{
    return (void *)(uptr)__irkiss_ghost_get(&threads, IRKISS_GHOST_KTHREAD + (u32)(__irkiss_self() & 63));
}

_Bool kthread_should_park(void)
{
    void *slot;
    _Bool asked = 0;
    IRKISS_ATOMIC(slot = own_slot(); if (slot) asked = __irkiss_ghost_get(slot, IRKISS_GHOST_PARK) != 0);
    return asked || __irkiss_nondet_bool();
}

void kthread_parkme(void)
{
    void *slot;
    _Bool parks = 0;
    IRKISS_ATOMIC(slot = own_slot(); if (slot) parks = __irkiss_ghost_get(slot, IRKISS_GHOST_PARK) != 0;
                  if (parks) __irkiss_ghost_set(slot, IRKISS_GHOST_PARKED, 1));
    if (parks)
        IRKISS_ATOMIC(__irkiss_assume(__irkiss_ghost_get(slot, IRKISS_GHOST_PARK) == 0);
                      __irkiss_ghost_set(slot, IRKISS_GHOST_PARKED, 0));
}

/* Waits until the thread is parked, or over: then nothing is parked. */
int kthread_park(void *task)
{
    void *slot;
    _Bool parked = 0, over;
    IRKISS_ATOMIC(slot = (void *)(uptr)__irkiss_ghost_get(task, IRKISS_GHOST_HANDLE);
                  if (slot) __irkiss_ghost_set(slot, IRKISS_GHOST_PARK, 1));
    if (!slot)
        return __irkiss_nondet_bool() ? 0 : -ENOSYS;
    IRKISS_ATOMIC(parked = __irkiss_ghost_get(slot, IRKISS_GHOST_PARKED) != 0;
                  over = __irkiss_ghost_get(slot, IRKISS_GHOST_ARMED) == 0 && __irkiss_ghost_get(slot, IRKISS_GHOST_RUNNING) == 0;
                  __irkiss_assume(parked || over));
    return parked ? 0 : -ENOSYS;
}

void kthread_unpark(void *task)
{
    void *slot;
    IRKISS_ATOMIC(slot = (void *)(uptr)__irkiss_ghost_get(task, IRKISS_GHOST_HANDLE);
                  if (slot) __irkiss_ghost_set(slot, IRKISS_GHOST_PARK, 0));
}

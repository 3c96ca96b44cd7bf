/* What the models of kernel functions share: keys, stable structure prefixes, the functions that the harness defines. */
#ifndef IRKISS_LINUX_H
#define IRKISS_LINUX_H

#include "irkiss_internal.h"

/* dma_addr_t and resource_size_t, but for 32-bit machines with more memory than 4 GB. */
typedef unsigned long irkiss_bus_address;

/* Keys of the ghost state, for kernel objects. */
enum irkiss_linux_ghost {
    /* An armed timer, work, tasklet, interrupt action: 1. */
    IRKISS_GHOST_ARMED = IRKISS_GHOST_LINUX,
    /* Thread number + 1 of the thread that runs it, 0 if none does. */
    IRKISS_GHOST_RUNNING = IRKISS_GHOST_LINUX + 1,
    /* Whether an interrupt line or tasklet is disabled: how often. */
    IRKISS_GHOST_DISABLED = IRKISS_GHOST_LINUX + 2,
    /* Number of an interrupt line. */
    IRKISS_GHOST_IRQ = IRKISS_GHOST_LINUX + 4,
    /* Whether a lifecycle thread for this place was started. */
    IRKISS_GHOST_BORN = IRKISS_GHOST_LINUX + 5,
    /* The container of an object, as a number: the anchor of a USB request, the queue of a work item. */
    IRKISS_GHOST_ANCHOR = IRKISS_GHOST_LINUX + 6,
    /* NAPI: given to one, asked for meanwhile, being disabled, and its poll function. */
    IRKISS_GHOST_SCHEDULED = IRKISS_GHOST_LINUX + 7,
    IRKISS_GHOST_MISSED = IRKISS_GHOST_LINUX + 8,
    IRKISS_GHOST_CLOSING = IRKISS_GHOST_LINUX + 9,
    IRKISS_GHOST_POLL = IRKISS_GHOST_LINUX + 10,
    /* What goes with a handle: the context of a buffer, the page of memory and the memory of a page. */
    IRKISS_GHOST_CONTEXT = IRKISS_GHOST_LINUX + 11,
    /* A head that call_rcu was given: 1. */
    IRKISS_GHOST_GRACE = IRKISS_GHOST_LINUX + 12,
    /* A thread of the kernel was asked to stop. */
    IRKISS_GHOST_STOPPING = IRKISS_GHOST_LINUX + 13,
    /* Of a device that sleeps by itself: who keeps it awake, and whether it is asleep, or on its way there or back. */
    IRKISS_GHOST_USERS = IRKISS_GHOST_LINUX + 14,
    IRKISS_GHOST_ASLEEP = IRKISS_GHOST_LINUX + 15,
    /* A device of whose runtime power management something is known: 1 (power.c). */
    IRKISS_GHOST_MANAGED = IRKISS_GHOST_LINUX + 16,
    /* A module whose exit has begun: 1 (16 to 20 are the harness's). */
    IRKISS_GHOST_GOING = IRKISS_GHOST_LINUX + 21,
    /* A tasklet that was scheduled: 1. */
    IRKISS_GHOST_TASKLET = IRKISS_GHOST_LINUX + 22,
    /* Of a task whose thread sleeps since it was made: its function, and what that gets. */
    IRKISS_GHOST_SLEEPER = IRKISS_GHOST_LINUX + 25,
    IRKISS_GHOST_SLEEPERS_DATA = IRKISS_GHOST_LINUX + 26,
    /* An object that the core or devres has freed: 1 (managed.c). */
    IRKISS_GHOST_GONE = IRKISS_GHOST_LINUX + 23,
    /* Of a work queue: whether it is ordered, and one of its items runs; of an item: the ordered queue that it runs in, as a number. */
    IRKISS_GHOST_ORDER = IRKISS_GHOST_LINUX + 24,
    /* What it lies in, as a number (managed.c). */
    IRKISS_GHOST_WITHIN = IRKISS_GHOST_LINUX + 29,
    /* Of the cell of a kernel thread: whether somebody has asked it to park, and whether it is parked. */
    IRKISS_GHOST_PARK = IRKISS_GHOST_LINUX + 30,
    IRKISS_GHOST_PARKED = IRKISS_GHOST_LINUX + 31,
    /* What a clock has come to. */
    IRKISS_GHOST_TIME = IRKISS_GHOST_LINUX + 32,
    /* Of a domain of RCU (rcu.c): its phase, readers in phase 0 and in phase 1, grace periods that are under way; epoch, callbacks that
     * run. Of a head: its domain, as a number. */
    IRKISS_GHOST_PHASE = IRKISS_GHOST_LINUX + 40,
    IRKISS_GHOST_PHASE_READERS = IRKISS_GHOST_LINUX + 41,
    IRKISS_GHOST_GRACES = IRKISS_GHOST_LINUX + 43,
    IRKISS_GHOST_EPOCH = IRKISS_GHOST_LINUX + 44,
    IRKISS_GHOST_CALLBACKS = IRKISS_GHOST_LINUX + 45,
    IRKISS_GHOST_DOMAIN = IRKISS_GHOST_LINUX + 46,
    /* Of a table of numbers: those given last (numbers.c). */
    IRKISS_GHOST_GIVEN = IRKISS_GHOST_LINUX + 48,
    /* Of a channel that moves memory (dma.c): the transfer submitted last, and the one begun last, as numbers. */
    IRKISS_GHOST_SUBMITTED = IRKISS_GHOST_LINUX + 50,
    IRKISS_GHOST_ISSUED = IRKISS_GHOST_LINUX + 51,
    /* Of a device of industrial I/O (iio.c): 1 no buffer is on, 2 one is. */
    IRKISS_GHOST_BUFFER = IRKISS_GHOST_LINUX + 52,
    /* Of a GPIO line (devices.c): the number of its interrupt, and one more. */
    IRKISS_GHOST_LINE_IRQ = IRKISS_GHOST_LINUX + 53,
    /* Of the cell of a handler: the object that it was begun for last, as a number. */
    IRKISS_GHOST_CURRENT = IRKISS_GHOST_LINUX + 54,
    /* IRKISS_GHOST_INTERRUPTS + (number mod 8): of a device (devices.c), the number of that interrupt. */
    IRKISS_GHOST_INTERRUPTS = IRKISS_GHOST_LINUX + 56,
    /* IRKISS_GHOST_KTHREAD + (thread number mod 64): the cell of the kernel thread's function, as a number. */
    IRKISS_GHOST_KTHREAD = IRKISS_GHOST_LINUX + 128,
    /* IRKISS_GHOST_PERCPU + (thread number mod 64): that thread's instance of per-CPU memory, as a number. */
    IRKISS_GHOST_PERCPU = IRKISS_GHOST_LINUX + 64,
    /* IRKISS_GHOST_SEQUENCE_READER + (thread number mod 64): of a sequence counter, whether that thread reads under it. */
    IRKISS_GHOST_SEQUENCE_READER = IRKISS_GHOST_LINUX + 192,
};

/* Begins and ends a use of a device that may sleep by itself (handlers.c). */
void irkiss_use(const void *device, _Bool wait);
void irkiss_unuse(const void *device);

/* What kind of entry point it is (src/frontend/harness/watch.rs). */
enum irkiss_entry {
    /* It hands locks over to another one. */
    IRKISS_HANDS_OVER = 1,
    /* When it returns, the device is gone. */
    IRKISS_REMOVES_DEVICE = 2,
    /* When it returns, the module is gone. */
    IRKISS_UNLOADS_MODULE = 4,
    /* The kernel ends what it serves before it removes the device. */
    IRKISS_ENDS_BEFORE = 8,
    /* The kernel holds a spin lock around it: as spin_lock, spin_lock_bh, spin_lock_irq do. */
    IRKISS_SPINS = 16,
    IRKISS_SPINS_BH = 32,
    IRKISS_SPINS_IRQ = 64,
    /* It returns within a lock that is given back with spin_unlock_irq. */
    IRKISS_STAYS_QUIET = 128,
    /* It is over before the code of the module goes, which is after module exit. */
    IRKISS_CODE_STAYS = 256,
    /* Nobody may sleep there, though it is process context. */
    IRKISS_AWAKE = 512,
};

/* Effects of a call (`[[effect]]` in runtime-stubs/rules/, src/environment/rules/effects.rs). */
enum irkiss_effect {
    IRKISS_STARTS = 1,
    IRKISS_ALLOWS = 2,
    IRKISS_BLOCKS_NEW = 4,
    IRKISS_DISARMS = 8,
    IRKISS_WAITS = 16,
};

/* The only structure prefixes that the models know. Each has been stable from 4.15 to 6.12. */
/* struct work_struct: data, entry (two pointers), func. */
#define IRKISS_WORK_FUNC (3 * sizeof(void *))
/* struct timer_list: entry (two pointers), expires, function. */
#define IRKISS_TIMER_FUNCTION (3 * sizeof(void *))
/* struct hrtimer_clock_base as far as get_time, without lockdep: cpu_base, index, clockid, seq, running, active. */
struct irkiss_hrtimer_clock_base {
    void *cpu_base;
    u32 index, clockid, sequence;
    void *running, *root, *leftmost;
    s64 (*get_time)(void);
};
/* struct hrtimer: node (a red-black node, expires), _softexpires, function, base. */
struct irkiss_hrtimer {
    struct {
        uptr parent_color;
        void *right, *left;
    } node;
    s64 expires, softexpires;
    void *function;
    struct irkiss_hrtimer_clock_base *base;
};
#define IRKISS_HRTIMER_FUNCTION __builtin_offsetof(struct irkiss_hrtimer, function)
/* struct tasklet_struct; what stands between count and function differs. */
struct irkiss_tasklet_struct {
    void *next;
    unsigned long state;
    u32 count;
    void *function;
    unsigned long data;
};
/* struct miscdevice: minor, name, fops. */
#define IRKISS_MISC_FOPS (2 * sizeof(void *))

/* What __irkiss_offsetof__STRUCT__MEMBER answers where the input's debug info has no such member. */
#define IRKISS_NO_OFFSET (~0ull)

/* Reads a pointer field that the driver writes before it hands the object over. Volatile: as the kernel's own code, which
 * runs under its locks or after the driver's publication, it is no party to a race. */
static inline void *irkiss_field(const void *object, usize offset)
{
    return *(void *const volatile *)((const char *)object + offset);
}

/* ---- Who must not sleep, and whom interrupts leave alone (--property lock-misuse, deadlock). A thread's own state: no steps. ---- */
#define irkiss_stay_awake() \
    do { \
        if (__irkiss_property(IRKISS_LOCK_MISUSE)) \
            irkiss_count(IRKISS_GHOST_ATOMIC, 1); \
    } while (0)
#define irkiss_may_sleep() \
    do { \
        if (__irkiss_property(IRKISS_LOCK_MISUSE)) \
            irkiss_count_down(IRKISS_GHOST_ATOMIC); \
    } while (0)
#define irkiss_no_softirqs() \
    do { \
        irkiss_stay_awake(); \
        if (__irkiss_property(IRKISS_DEADLOCK)) \
            irkiss_count(IRKISS_GHOST_BH, 1); \
    } while (0)
#define irkiss_softirqs() \
    do { \
        irkiss_may_sleep(); \
        if (__irkiss_property(IRKISS_DEADLOCK)) \
            irkiss_count_down(IRKISS_GHOST_BH); \
    } while (0)

/* ---- Readers of RCU by where they are (rcu.c). ---- */
/* Whether the input waits for grace periods, or has somebody wait: a constant once the program is closed. Where it does, whoever has
 * switched preemption, softirqs or interrupts off reads (Linux 5.0 and later, without PREEMPT_RT); who holds a lock that sleeps does not. */
_Bool __irkiss_grace_periods(void);
/* The running thread reads, so many times more or less. Within an atomic section. */
void __irkiss_reads_more(u32 times);
void __irkiss_reads_less(u32 times);
#define irkiss_reads_more(times) \
    do { \
        if (__irkiss_grace_periods()) \
            __irkiss_reads_more(times); \
    } while (0)
#define irkiss_reads_less(times) \
    do { \
        if (__irkiss_grace_periods()) \
            __irkiss_reads_less(times); \
    } while (0)
/* Each a step of its own. */
#define irkiss_reads_from_here(times) \
    do { \
        if (__irkiss_grace_periods()) \
            IRKISS_ATOMIC(__irkiss_reads_more(times)); \
    } while (0)
#define irkiss_read_until_here(times) \
    do { \
        if (__irkiss_grace_periods()) { \
            IRKISS_ATOMIC(__irkiss_reads_less(times)); \
            irkiss_has_read(); \
        } \
    } while (0)
/* After that: what it gave to kfree_rcu meanwhile may be freed now. */
void __irkiss_has_read(void);
#define irkiss_has_read() \
    do { \
        if (__irkiss_grace_periods()) { \
            if (__irkiss_property(IRKISS_UAF)) \
                __irkiss_has_read(); \
        } \
    } while (0)

/* Interrupts are off, or on again. */
static inline void irkiss_set_quiet(_Bool off)
{
    if (__irkiss_property(IRKISS_LOCKS) || __irkiss_grace_periods())
        irkiss_set_state(IRKISS_GHOST_QUIET, off);
}

static inline void irkiss_quiet(_Bool off)
{
    if (__irkiss_grace_periods()) {
        if ((irkiss_state(IRKISS_GHOST_QUIET) != 0) != off) {
            if (off)
                irkiss_reads_from_here(1);
            else
                irkiss_read_until_here(1);
        }
    }
    irkiss_set_quiet(off);
}

/* What local_irq_save() answers where interrupts are on (the flag of x86), if that is known; 0 otherwise. */
#define IRKISS_INTERRUPTS 0x200ul
static inline unsigned long irkiss_flags(void)
{
    unsigned long flags = 0;
    if (__irkiss_property(IRKISS_LOCKS) || __irkiss_grace_periods()) {
        if (irkiss_state(IRKISS_GHOST_QUIET) == 0)
            flags = IRKISS_INTERRUPTS;
    }
    return flags;
}
#define irkiss_restore_flags(flags) irkiss_quiet(((flags) & IRKISS_INTERRUPTS) == 0)

/* Who holds a spin lock has preemption off: a reader, `times` with what else the call switches off, in the step that takes it. */
#define irkiss_spin_lock_as(lock, times) \
    do { \
        IRKISS_BEFORE_LOCK(lock, 0, 1); \
        IRKISS_ATOMIC(irkiss_take(lock); irkiss_reads_more(times)); \
        IRKISS_AFTER_LOCK(lock); \
        irkiss_stay_awake(); \
    } while (0)
#define irkiss_spin_unlock_as(lock, times) \
    do { \
        irkiss_must_be_there(lock); \
        IRKISS_ATOMIC(irkiss_release(lock); irkiss_reads_less(times)); \
        irkiss_may_sleep(); \
        irkiss_has_read(); \
    } while (0)
#define irkiss_spin_lock(lock) irkiss_spin_lock_as(lock, 1)
#define irkiss_spin_unlock(lock) irkiss_spin_unlock_as(lock, 1)

/* The same with interrupts: those that are off already are not switched off once more. */
static inline void irkiss_spin_lock_irq(const void *lock)
{
    u32 times = 1;
    if (__irkiss_grace_periods())
        times += irkiss_state(IRKISS_GHOST_QUIET) == 0;
    irkiss_set_quiet(1);
    irkiss_spin_lock_as(lock, times);
}

static inline void irkiss_spin_unlock_irq(const void *lock)
{
    u32 times = 1;
    if (__irkiss_grace_periods())
        times += irkiss_state(IRKISS_GHOST_QUIET) != 0;
    irkiss_spin_unlock_as(lock, times);
    irkiss_set_quiet(0);
}

static inline void irkiss_spin_unlock_irqrestore(const void *lock, unsigned long flags)
{
    if (__irkiss_grace_periods()) {
        if (flags & IRKISS_INTERRUPTS) {
            irkiss_spin_unlock_irq(lock);
            return;
        }
    }
    irkiss_spin_unlock(lock);
    irkiss_restore_flags(flags);
}

static inline _Bool irkiss_spin_trylock(const void *lock)
{
    _Bool taken = 0;
    __irkiss_atomic_begin();
    taken = irkiss_try_take(lock);
    if (__irkiss_grace_periods()) {
        if (taken)
            __irkiss_reads_more(1);
    }
    __irkiss_atomic_end();
    if (taken) {
        IRKISS_AFTER_LOCK(lock);
        irkiss_stay_awake();
    }
    return taken;
}

/* ---- handlers.c, for models in other files. ---- */
_Bool __irkiss_arm(void *object, const void *function);
/* ---- managed.c, likewise. ---- */
void irkiss_manage_memory(const void *object);
/* The number of a device's interrupt (devices.c). */
int __irkiss_vector(void *device, u32 n);
void irkiss_manage_interrupt(const void *handler, u32 irq, const void *device);
void irkiss_forget_managed(const void *object);
void __irkiss_used(const void *object);
/* Accesses of the kernel's core, which are no party to a race. */
u32 __irkiss_core_reads(const void *word);
void __irkiss_core_writes(void *word, u32 value);
void __irkiss_core_fills(void *data, u64 bytes);
/* ---- rcu.c, likewise. ---- */
_Bool __irkiss_grace_begin(const void *object);
void __irkiss_grace_wait(const void *object);
/* The run of a work item begins, and ends: for items of an ordered queue. Within one step. */
void __irkiss_take_turn(const void *item);
void __irkiss_end_turn(const void *item);
void __irkiss_grace_end(const void *object);
/* ---- spellings.c: around an interrupt handler. ---- */
void __irkiss_interrupted(void);
void __irkiss_resumed(void);

/* ---- Called by the harness. ---- */
_Bool __irkiss_cancel(void *object, u32 effects);
void __irkiss_cancel_contained(void **slot, void *container, u32 effects);
void __irkiss_allow(void *object);
void __irkiss_allow_contained(void **slot, void *container);
void __irkiss_cancel_thread(void *task, u32 effects);
_Bool __irkiss_is_running(void *object);
_Bool __irkiss_is_pending(void **slot, void *object, void *container);
void __irkiss_free_irq(void **slot, u32 irq, void *device, u32 effects);
void __irkiss_mask_irq(void **slot, u32 irq, u32 effects);
void __irkiss_unmask_irq(void **slot, u32 irq);
void __irkiss_stand_in(_Bool begins);
void __irkiss_runs(const void *object);
void __irkiss_ran(const void *object);
void __irkiss_over(const void *object);
u64 __irkiss_enter(u32 context, u32 kind);
void __irkiss_reader_begin(void);
void __irkiss_reader_end(void);
void __irkiss_entry_over(void);
void __irkiss_leave(u64 held, u32 context, u32 kind);
_Bool __irkiss_is_open(void *gate);
void __irkiss_gate_enter(void *gate);
void __irkiss_gate_leave(void *gate);
void __irkiss_gate(void *gate, u32 effects);
void __irkiss_manage_gate(void *gate);
/* What lies in something: an attribute in an object of sysfs, a debugging file in a directory (managed.c). */
void __irkiss_put_within(const void *inner, const void *outer);
_Bool __irkiss_is_within(const void *inner, const void *outer);
void __irkiss_removed(void);
void __irkiss_release_managed(void);
void __irkiss_free_given(const void *object);
void __irkiss_keep_handle(const void *object, const void *data);
void __irkiss_keep_held(const void *object, const void *holder, u64 offset);

/* ---- Defined by the harness, one text per driver. ---- */
/* The cell that holds the object that `function` is started with (its timer, work, dev_id), or null for a function that is
 * no entry point. */
void **__irkiss_slot(const void *function);
/* Whether that function begins when what its registration returned is woken: the input shows who does that. */
_Bool __irkiss_begins_woken(const void *function);
/* Calls the function that devm_add_action() was given. */
void __irkiss_managed_action(const void *function, const void *data);
/* Calls what the end of something that devres has ended calls back; its gate is closed. */
void __irkiss_managed_ended(const void *gate);
/* Ends what devres was handed as an object was made (managed.c: irkiss_manage_made). */
void __irkiss_made_ended(void);
/* Whether that object has a cell of its own: a global that holds the function. */
_Bool __irkiss_has_cell(const void *function, const void *object);
/* Whether no other handler of the line of that one runs. */
_Bool __irkiss_is_line_idle(void **slot);
/* Whether this is what comes before the threads of a pair: initialisation, what opens files. */
_Bool __irkiss_sets_up(void);
/* Runs what was to be called with that head once a grace period is over, unless it is a thread of the pair. */
void __irkiss_grace_over(const void *head);
/* What initialisation has waited for came: the handler that brought it, where it is known, has run (src/frontend/harness/answers.rs). */
void __irkiss_answered(void);
/* Size of struct urb, and what its field `complete` holds, by the debug info of the input; 0 and null where it has none. */
u64 __irkiss_urb_size(void);
const void *__irkiss_urb_complete(const void *urb);
/* The cell that holds the cdev of an ops object, or null for one that is not known; and the ops object of a cdev. */
void **__irkiss_cdev_slot(const void *fops);
const void *__irkiss_cdev_ops(const void *cdev);
/* In the lifecycle scenario: starts the selected threads whose entry point is `key`, or is named by the ops object `key`. */
void __irkiss_born(const void *key);

/* include/linux/refcount.h: REFCOUNT_SATURATED. */
#define IRKISS_REFCOUNT_SATURATED ((int)0xc0000000)

/* An error code, or 0. */
static inline int irkiss_may_fail(int error)
{
    return __irkiss_nondet_bool() ? -error : 0;
}

#define MAX_ERRNO 4095
#define EPERM 1
#define ENOENT 2
#define EIO 5
#define EDEADLK 35
#define ENXIO 6
#define EAGAIN 11
#define ENOMEM 12
#define EFAULT 14
#define EBUSY 16
#define ENODEV 19
#define ENOSYS 38
#define EINVAL 22
#define ENOTCONN 107
#define EPIPE 32
#define ENOSPC 28
#define EINPROGRESS 115
#define ECONNRESET 104
#define EINTR 4
#define ERESTARTSYS 512

/* The address that carries an error code. */
static inline _Bool irkiss_is_error(const void *pointer)
{
    return (uptr)pointer >= (uptr)-MAX_ERRNO;
}

static inline void *irkiss_error_pointer(int error)
{
    return (void *)(uptr)(ssize)-error;
}

#endif

/* What the models themselves are written in: the primitives (src/program/primitive.rs gives their meaning), the keys of
 * the ghost state, and the few idioms that all models share. Models are compiled without any system header.
 */
#ifndef IRKISS_INTERNAL_H
#define IRKISS_INTERNAL_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;
/* size_t and ssize_t of the target: as wide as a pointer. */
typedef __SIZE_TYPE__ usize;
typedef __PTRDIFF_TYPE__ ssize;
typedef __UINTPTR_TYPE__ uptr;
#ifndef NULL
#define NULL ((void *)0)
#endif

/* ---- Primitives. ---- */
_Bool __irkiss_nondet_bool(void);
u8 __irkiss_nondet_u8(void);
u16 __irkiss_nondet_u16(void);
u32 __irkiss_nondet_u32(void);
u64 __irkiss_nondet_u64(void);
void *__irkiss_nondet_ptr(void);
void __irkiss_assume(_Bool condition);
void __irkiss_assert(_Bool condition, const char *message);
void __irkiss_check(u32 kind, _Bool holds, const void *object);
void __irkiss_atomic_begin(void);
void __irkiss_atomic_end(void);
u64 __irkiss_async(void (*start)(void *), void *arg);
u64 __irkiss_self(void);
u64 __irkiss_ghost_get(const void *address, u32 key);
void __irkiss_ghost_set(const void *address, u32 key, u64 value);
void *__irkiss_alloc(u64 size, _Bool zero);
void __irkiss_free(void *object);
void __irkiss_local_ends(void *local);
void *__irkiss_lazy(u64 size, const char *name);
void __irkiss_havoc(void *address, u64 size);
void __irkiss_touch(const void *address, u64 size);
__attribute__((noreturn)) void __irkiss_stop(void);
__attribute__((noreturn)) void __irkiss_unsupported(const char *what);
/* A bound of the model, which is no bound of what locks prove: what follows is what really happens. */
void __irkiss_exceeded(const char *what);
/* Something that is not modelled is passed over: that nothing comes of it cannot be claimed. */
void __irkiss_gap(const char *what);
__attribute__((noreturn)) void __irkiss_bug(const char *what);
u32 __irkiss_pair(u32 n);
/* Only in the sequential program. */
u32 __irkiss_choice(u32 site, u32 alternatives);
_Bool __irkiss_site_enabled(u32 site);
_Bool __irkiss_check_enabled(u32 site);
u32 __irkiss_ts_max(void);
_Bool __irkiss_plain_raise(void);
u32 __irkiss_watched(u32 site);
u64 __irkiss_watched_bits(u32 site);
void __irkiss_snapshot(void);
void __irkiss_rollback(void);
__attribute__((noreturn)) void __irkiss_fail(u32 kind, u32 first_site, u32 second_site);
void __irkiss_note(u32 kind, u32 first_site, u32 second_site);
_Bool __irkiss_same_location(const void *a, u64 a_bytes, const void *b, u64 b_bytes);
u32 __irkiss_contexts(void);
void *__irkiss_copy(const void *address, u64 bytes, u32 round, u32 what);
void __irkiss_consistent(void);

/* ---- Before the definition of a model that fixes something which the real function does not: names the entry of the list of
 * assumptions (src/assumption.rs) that a verdict rests on where a thread may call it. Several may stand there. ---- */
#define IRKISS_ASSUMES(code) __attribute__((annotate("irkiss-assumes:" code)))

/* ---- Before a model that gives any answer although the real function's follows from what it is given (a text of a number, a sorted
 * array): no assertion is said to fail after such an answer (src/replay/answers.rs). ---- */
#define IRKISS_ANY_ANSWER __attribute__((annotate("irkiss-any-answer")))

/* ---- Before a model that runs what comes by itself (a signal's handler): what is called from there depends on nothing that its caller has
 * decided (src/analysis/dependence.rs). ---- */
#define IRKISS_COMES_BY_ITSELF __attribute__((annotate("irkiss-interrupts")))

/* ---- Of a variable: state that functions of the environment keep for all threads and that nothing protects. It can race, whether or not
 * the user's code ever holds a pointer to it. ---- */
#define IRKISS_HIDDEN __attribute__((section("irkiss.hidden")))

/* ---- Keys of the ghost state. One numbering for all models; the address is the lock (or other) object's own, so the
 * same models serve every layout of that object. All state is initially 0. ---- */
enum irkiss_ghost {
    /* Exclusive owner: thread number + 1, 0 if there is none. Every lock of every API uses this key (a write lock too),
     * and nothing else does: who writes himself here excludes all others (src/analysis/lockset/ relies on it). */
    IRKISS_GHOST_OWNER = 1,
    /* Times that the owner holds it, for locks that nest. */
    IRKISS_GHOST_DEPTH = 2,
    /* Readers of a reader-writer lock, all threads together. */
    IRKISS_GHOST_READERS = 3,
    /* Threads that wait (condition variable, barrier, wait queue). */
    IRKISS_GHOST_WAITERS = 4,
    /* Wake-ups not yet consumed (condition variable), rounds completed (barrier), permits (semaphore), completions done. */
    IRKISS_GHOST_SIGNALS = 5,
    /* Kind of the object (recursive, errorcheck, …), as the API's models number them. */
    IRKISS_GHOST_KIND = 6,
    /* Life: 1 initialised, 2 destroyed (0: never touched, statically initialised). */
    IRKISS_GHOST_LIFE = 7,
    /* Parties of a barrier; any other number that initialisation fixes. */
    IRKISS_GHOST_LIMIT = 8,
    /* A handle: the object that belongs to the address (thread record, device, …), as a number. */
    IRKISS_GHOST_HANDLE = 9,
    /* Reference count, where the API has one that the layout hides. */
    IRKISS_GHOST_COUNT = 10,
    /* Who holds what several may hold (a permit of a semaphore), as OWNER has it: for reports. */
    IRKISS_GHOST_HOLDER = 11,
    /* One of the threads with read holds, as OWNER has it (--property deadlock). */
    IRKISS_GHOST_READ_BY = 12,
    /* What IRKISS_GHOST_CLOCK was when the lock was acquired (--property deadlock). */
    IRKISS_GHOST_SINCE = 13,
    /* Of what others wait for until it has ended (a handler's object, a gate): who runs, as OWNER has it (--property deadlock). */
    IRKISS_GHOST_ACTIVE = 14,
    /* Of a lock with readers: a writer that waits for them and will not run again, as OWNER has it (--property deadlock). */
    IRKISS_GHOST_WRITER = 15,
    /* IRKISS_GHOST_STUCK + what it is that is awaited (IRKISS_AWAITS_OWNER and others): threads that wait for it and will not run again
     * (--property deadlock, programs). */
    IRKISS_GHOST_STUCK = 16,
    /* IRKISS_GHOST_READ_IN_PHASE + 0 or 1: one of the readers that came to a domain of RCU in that phase, as OWNER has it
     * (--property deadlock). */
    IRKISS_GHOST_READ_IN_PHASE = 32,
    /* IRKISS_GHOST_READER + (thread number mod 64): read holds of that thread, counted together with READERS. Who has some
     * holds the lock (src/analysis/lockset/ relies on it where `%` is used and more threads are unsupported). */
    IRKISS_GHOST_READER = 64,
    /* Free for each API's own use: IRKISS_GHOST_PTHREAD + 0..255, IRKISS_GHOST_LINUX + 0..255. */
    IRKISS_GHOST_PTHREAD = 256,
    IRKISS_GHOST_LINUX = 512,
    /* A thread's own state, beside __irkiss_thread_state, plus its number mod 64 (src/replay/property.rs reads some of it).
     * Locks that it has acquired; reasons why it must not sleep; interrupts and bottom halves that it has disabled. */
    IRKISS_GHOST_HELD = 768,
    IRKISS_GHOST_ATOMIC = 832,
    IRKISS_GHOST_QUIET = 896,
    IRKISS_GHOST_BH = 960,
    /* The lock, or what runs, that it has given up waiting for, and which of these (IRKISS_AWAITS_OWNER and others). */
    IRKISS_GHOST_WAITS = 1024,
    IRKISS_GHOST_WAITS_FOR_ALL = 1088,
    /* What IRKISS_GHOST_CLOCK was when it began; 0 a thread, 1 in a softirq, 2 in an interrupt; whether it may give back locks that
     * others have acquired. */
    IRKISS_GHOST_BEGAN = 1152,
    IRKISS_GHOST_LEVEL = 1216,
    IRKISS_GHOST_CONTRACT = 1280,
    /* Beside __irkiss_thread_state, of all threads: handlers begun so far. */
    IRKISS_GHOST_CLOCK = 1344,
    /* Likewise: who removed the device, who unloaded the module (thread number + 1); of a thread: whether it ends before. */
    IRKISS_GHOST_DEVICE_GONE = 1345,
    IRKISS_GHOST_UNLOADED = 1346,
    IRKISS_GHOST_EXEMPT = 1408,
    /* Of all threads: whether there are others than the first. */
    IRKISS_GHOST_THREADS = 1472,
    /* Likewise (--property deadlock, programs): threads that have begun and not ended; those of them that wait and will not run again;
     * those of these that could go on, and whatever else may end a wait. */
    IRKISS_GHOST_LIVE = 1473,
    IRKISS_GHOST_WAITING = 1474,
    IRKISS_GHOST_READY = 1475,
    /* Likewise: how often another process, or another number, came to lead to the files that are known by number (programs). */
    IRKISS_GHOST_FILES_SHARED = 1476,
    /* Likewise: threads that wait for one of these and will not run again. */
    IRKISS_GHOST_FILES_AWAITED = 1477,
    /* Of a thread: whether it has turned off the clock or the supply of a device (--property removed). */
    IRKISS_GHOST_TURNED_OFF = 1536,
    /* Of a thread: how many handlers it runs in the place of workers, while it waits for them. */
    IRKISS_GHOST_STANDS_IN = 1600,
};

/* ---- Idioms. ---- */
/* Before a loop of a model over what is not known (a string): how often it is gone round at least, whatever --unwind says. */
#define IRKISS_FOLLOWED _Pragma("clang loop unroll_count(16)")
#define IRKISS_FOLLOWED_TWICE _Pragma("clang loop unroll_count(32)")
/* One that a constant ends. */
#define IRKISS_TO_THE_END _Pragma("clang loop unroll_count(4096)")

/* IRKISS_ATOMIC(statements): one step. Never leave it by break, goto or return: the section would stay open.
 * (No loop in disguise: a back edge would be a switch point and would count against --unwind.) */
#define IRKISS_ATOMIC(...) \
    do { \
        __irkiss_atomic_begin(); \
        __VA_ARGS__; \
        __irkiss_atomic_end(); \
    } while (0)

/* Thread number + 1, as IRKISS_GHOST_OWNER holds it. */
static inline u64 irkiss_me(void)
{
    return __irkiss_self() + 1;
}

/* Around what may end a wait of others. Only in programs is that followed (irkiss_pthread.h). */
#ifdef IRKISS_PTHREAD_H
static inline u64 irkiss_ready_at(const void *object);
static inline void irkiss_ready_was(const void *object, u64 before);
static inline void irkiss_waits_for(const void *object, u64 awaits);
#define IRKISS_CHANGES(object, ...) \
    do { \
        u64 ready_before = irkiss_ready_at(object); \
        __VA_ARGS__; \
        irkiss_ready_was(object, ready_before); \
    } while (0)
#else
#define IRKISS_CHANGES(object, ...) __VA_ARGS__
static inline void irkiss_waits_for(const void *object, u64 awaits);
#endif

/* Takes an exclusive lock that does not nest; waits while anybody, the caller included, holds it. Within an atomic section. */
static inline void irkiss_take(const void *lock)
{
    __irkiss_assume(__irkiss_ghost_get(lock, IRKISS_GHOST_OWNER) == 0);
    IRKISS_CHANGES(lock, __irkiss_ghost_set(lock, IRKISS_GHOST_OWNER, irkiss_me()));
}

/* Takes it if it is free; whether it was. Within an atomic section. */
static inline _Bool irkiss_try_take(const void *lock)
{
    if (__irkiss_ghost_get(lock, IRKISS_GHOST_OWNER) != 0)
        return 0;
    IRKISS_CHANGES(lock, __irkiss_ghost_set(lock, IRKISS_GHOST_OWNER, irkiss_me()));
    return 1;
}

/* Gives an exclusive lock back, whoever holds it. Within an atomic section. */
static inline void irkiss_drop(const void *lock)
{
    IRKISS_CHANGES(lock, __irkiss_ghost_set(lock, IRKISS_GHOST_OWNER, 0));
}

/* ---- Properties beyond races (`--property`). ---- */
/* Whether it is asked for: a constant once the program is closed (src/frontend/close/scenario.rs), so that nothing is left of what
 * nobody has asked for. */
enum irkiss_property {
    IRKISS_LOCK_MISUSE = 0,
    IRKISS_DEADLOCK = 1,
    IRKISS_REMOVED = 2,
    /* The first or the second. */
    IRKISS_LOCKS = 3,
    IRKISS_UAF = 4,
    /* No property: the lifecycle scenario, in which entry points run beside initialisation. */
    IRKISS_LIFECYCLE = 5,
};
_Bool __irkiss_property(u32 property);

/* Kinds of __irkiss_check (src/program/primitive.rs: FailKind). */
enum irkiss_kind {
    IRKISS_DOUBLE_ACQUIRE = 3,
    IRKISS_RELEASE_NOT_HELD = 4,
    IRKISS_SLEEP_IN_ATOMIC = 5,
    IRKISS_RETURN_WITH_LOCK_HELD = 6,
    IRKISS_WAITS_IN_CIRCLE = 7,
    IRKISS_USE_AFTER_REMOVAL = 8,
    IRKISS_WAITS_FOR_EVER = 10,
};

/* Threads have their state beside this object. */
extern const u8 __irkiss_thread_state;

static inline u64 irkiss_state_of(u64 thread, u32 key)
{
    return __irkiss_ghost_get(&__irkiss_thread_state, key + (u32)(thread & 63));
}

static inline u64 irkiss_state(u32 key)
{
    return irkiss_state_of(__irkiss_self(), key);
}

static inline void irkiss_set_state(u32 key, u64 value)
{
    __irkiss_ghost_set(&__irkiss_thread_state, key + (u32)(__irkiss_self() & 63), value);
}

static inline void irkiss_count(u32 key, u64 step)
{
    irkiss_set_state(key, irkiss_state(key) + step);
}

/* One less, but not less than none. */
static inline void irkiss_count_down(u32 key)
{
    u64 now = irkiss_state(key);
    if (now != 0)
        irkiss_set_state(key, now - 1);
}

static inline _Bool irkiss_reads(const void *lock, u64 thread)
{
    return __irkiss_ghost_get(lock, IRKISS_GHOST_READER + (u32)(thread & 63)) != 0;
}

/* Before a lock is acquired that does not nest; `all`: of a lock with readers, to write. A step of its own: the section that takes
 * the lock is never entered where this fails. */
static inline void irkiss_check_acquire(const void *lock, _Bool all)
{
    __irkiss_atomic_begin();
    __irkiss_check(IRKISS_DOUBLE_ACQUIRE, __irkiss_ghost_get(lock, IRKISS_GHOST_OWNER) != irkiss_me(), lock);
    if (all)
        __irkiss_check(IRKISS_DOUBLE_ACQUIRE, !irkiss_reads(lock, __irkiss_self()), lock);
    __irkiss_atomic_end();
}

/* What a thread waits for: that a lock is free, that all readers of it have left, too, that what runs has ended, a permit, something
 * that another thread does; that neither a writer has the lock nor one waits for it; that those readers of a domain of RCU have left
 * which came in phase 0, in phase 1. */
#define IRKISS_AWAITS_OWNER 0
#define IRKISS_AWAITS_ALL 1
#define IRKISS_AWAITS_END 2
#define IRKISS_AWAITS_PERMIT 3
#define IRKISS_AWAITS_EVENT 4
#define IRKISS_AWAITS_WRITERS 5
#define IRKISS_AWAITS_PHASE 6

#ifndef IRKISS_PTHREAD_H
static inline void irkiss_waits_for(const void *object, u64 awaits)
{
    irkiss_set_state(IRKISS_GHOST_WAITS, (u64)(uptr)object);
    irkiss_set_state(IRKISS_GHOST_WAITS_FOR_ALL, awaits);
}
#endif

/* Who keeps a lock from whom waits for it, as OWNER has it. */
static inline u64 irkiss_holder(const void *lock, u64 awaits)
{
    u64 owner;
    /* Of a permit or an event there is no holder. */
    if (awaits == IRKISS_AWAITS_PERMIT || awaits == IRKISS_AWAITS_EVENT)
        return 0;
    if (awaits == IRKISS_AWAITS_END)
        return __irkiss_ghost_get(lock, IRKISS_GHOST_ACTIVE);
    if (awaits >= IRKISS_AWAITS_PHASE)
        return __irkiss_ghost_get(lock, IRKISS_GHOST_READ_IN_PHASE + (u32)(awaits - IRKISS_AWAITS_PHASE));
    owner = __irkiss_ghost_get(lock, IRKISS_GHOST_OWNER);
    if (owner == 0 && awaits == IRKISS_AWAITS_ALL)
        return __irkiss_ghost_get(lock, IRKISS_GHOST_READ_BY);
    if (owner == 0 && awaits == IRKISS_AWAITS_WRITERS)
        return __irkiss_ghost_get(lock, IRKISS_GHOST_WRITER);
    return owner;
}

/* Whom a thread waits for, who has given up; 0: it has not, or needs not wait any more. */
static inline u64 irkiss_awaited(u64 thread)
{
    u64 lock = irkiss_state_of(thread, IRKISS_GHOST_WAITS);
    if (lock == 0)
        return 0;
    return irkiss_holder((const void *)(uptr)lock, irkiss_state_of(thread, IRKISS_GHOST_WAITS_FOR_ALL));
}

/* --property deadlock. Where a lock is taken, the thread may give up: it waits for ever, which is a state like any other, since nobody
 * need ever run it again. It is a deadlock if whoever holds the lock waits, over at most two others, for a lock of this thread's; or
 * (`spins`) if this is a handler that has interrupted the one who holds the lock, or who is awaited: a thread that has not disabled such handlers, and had
 * the lock when this one began. That the other has not run since is for the replay to see (src/replay/property.rs). */
static inline void irkiss_may_wait(const void *lock, u64 awaits, _Bool spins)
{
    u64 me = irkiss_me();
    u64 first, second, third, context;
    _Bool interrupts;
    if (!__irkiss_nondet_bool())
        return;
    __irkiss_atomic_begin();
    first = irkiss_holder(lock, awaits);
    if (awaits == IRKISS_AWAITS_ALL && first != me && irkiss_reads(lock, __irkiss_self()))
        first = me;
    __irkiss_assume(first != 0);
    irkiss_waits_for(lock, awaits);
    if (awaits == IRKISS_AWAITS_ALL)
        __irkiss_ghost_set(lock, IRKISS_GHOST_WRITER, me);
    second = first == me ? 0 : irkiss_awaited(first - 1);
    third = second == 0 || second == me ? 0 : irkiss_awaited(second - 1);
    __irkiss_check(IRKISS_WAITS_IN_CIRCLE, first != me && second != me && third != me, lock);
    context = irkiss_state(IRKISS_GHOST_LEVEL);
    interrupts = 0;
    if (spins && first != me && context > irkiss_state_of(first - 1, IRKISS_GHOST_LEVEL))
        interrupts = irkiss_state_of(first - 1, IRKISS_GHOST_QUIET) == 0 &&
                     (context == 2 || irkiss_state_of(first - 1, IRKISS_GHOST_BH) == 0) &&
                     __irkiss_ghost_get(lock, IRKISS_GHOST_SINCE) < irkiss_state(IRKISS_GHOST_BEGAN);
    __irkiss_check(IRKISS_WAITS_IN_CIRCLE, !interrupts, lock);
    __irkiss_atomic_end();
    __irkiss_stop();
}

/* Before a call that waits until what runs for an object has ended. */
#define irkiss_may_await(object) \
    do { \
        if (__irkiss_property(IRKISS_DEADLOCK)) \
            irkiss_may_wait(object, IRKISS_AWAITS_END, 1); \
    } while (0)
/* Who runs for an object now, or nobody. */
#define irkiss_set_active(object, who) \
    do { \
        if (__irkiss_property(IRKISS_DEADLOCK)) { \
            __irkiss_ghost_set(object, IRKISS_GHOST_ACTIVE, who); \
            __irkiss_ghost_set(object, IRKISS_GHOST_SINCE, __irkiss_ghost_get(&__irkiss_thread_state, IRKISS_GHOST_CLOCK)); \
        } \
    } while (0)

/* A handler that runs in the place of a worker does not have what the thread that waits for it holds: a worker would wait for ever, which
 * is found where the two are threads of their own. */
static inline void irkiss_not_of_who_waits(const void *lock)
{
    if (irkiss_state(IRKISS_GHOST_STANDS_IN) != 0)
        __irkiss_assume(__irkiss_ghost_get(lock, IRKISS_GHOST_OWNER) != irkiss_me());
}

/* Beside initialisation (the lifecycle scenario): what the kernel is handed to set up, it writes, plainly, here its first byte and as it was;
 * what it is handed to use, it looks at. Elsewhere nothing is set up while others use it. */
#define irkiss_set_up(object) \
    do { \
        if (__irkiss_property(IRKISS_LIFECYCLE)) { \
            u8 irkiss_first = *(const volatile u8 *)(object); \
            *(u8 *)(object) = irkiss_first; \
        } \
    } while (0)
#define irkiss_looks_at(object) \
    do { \
        if (__irkiss_property(IRKISS_LIFECYCLE)) \
            (void)*(const volatile u8 *)(object); \
    } while (0)

/* What stands before and after a section that takes a lock, and in and after one that gives it back. Nothing where nobody asks. */
#define IRKISS_BEFORE_LOCK(lock, all, spins) \
    do { \
        irkiss_looks_at(lock); \
        if (__irkiss_property(IRKISS_LOCKS)) \
            irkiss_not_of_who_waits(lock); \
        if (__irkiss_property(IRKISS_LOCK_MISUSE)) \
            irkiss_check_acquire(lock, all); \
        if (__irkiss_property(IRKISS_DEADLOCK)) \
            irkiss_may_wait(lock, all, spins); \
    } while (0)
#define IRKISS_AFTER_LOCK(lock) \
    do { \
        if (__irkiss_property(IRKISS_LOCKS)) \
            irkiss_acquired(lock); \
    } while (0)
#define IRKISS_AFTER_UNLOCK() \
    do { \
        if (__irkiss_property(IRKISS_LOCK_MISUSE)) \
            irkiss_count(IRKISS_GHOST_HELD, ~0ull); \
    } while (0)

static inline void irkiss_acquired(const void *lock)
{
    if (__irkiss_property(IRKISS_LOCK_MISUSE))
        irkiss_count(IRKISS_GHOST_HELD, 1);
    if (__irkiss_property(IRKISS_DEADLOCK))
        __irkiss_ghost_set(lock, IRKISS_GHOST_SINCE, __irkiss_ghost_get(&__irkiss_thread_state, IRKISS_GHOST_CLOCK));
}

/* Within the section that gives an exclusive lock back: whether it is this thread's, or may be given back all the same. What is not
 * stays as it is, so that one mistake is told once. */
static inline _Bool irkiss_check_release(const void *lock)
{
    _Bool own = __irkiss_ghost_get(lock, IRKISS_GHOST_OWNER) == irkiss_me();
    _Bool contract = irkiss_state(IRKISS_GHOST_CONTRACT) != 0;
    __irkiss_check(IRKISS_RELEASE_NOT_HELD, own || contract, lock);
    if (own)
        irkiss_count(IRKISS_GHOST_HELD, ~0ull);
    return own || contract;
}

/* As irkiss_take, irkiss_try_take, irkiss_drop, each a step of its own, with the checks that were asked for. */
static inline void irkiss_lock_as(const void *lock, _Bool spins)
{
    IRKISS_BEFORE_LOCK(lock, 0, spins);
    IRKISS_ATOMIC(irkiss_take(lock));
    IRKISS_AFTER_LOCK(lock);
}
#define irkiss_lock(lock) irkiss_lock_as(lock, 0)

static inline _Bool irkiss_trylock(const void *lock)
{
    _Bool taken = 0;
    IRKISS_ATOMIC(taken = irkiss_try_take(lock));
    if (taken)
        IRKISS_AFTER_LOCK(lock);
    return taken;
}

/* Who gives a lock back uses it still: a step of its own, before. */
static inline void irkiss_must_be_there(const void *lock)
{
    if (__irkiss_property(IRKISS_UAF))
        (void)*(const volatile u8 *)lock;
}

/* Within an atomic section. */
static inline void irkiss_release(const void *lock)
{
    if (__irkiss_property(IRKISS_LOCK_MISUSE)) {
        if (irkiss_check_release(lock))
            irkiss_drop(lock);
    } else {
        irkiss_drop(lock);
    }
}

static inline void irkiss_unlock(const void *lock)
{
    IRKISS_ATOMIC(irkiss_release(lock));
}

/* A lock is initialised: free, whoever may have held it. */
static inline void irkiss_make_free(const void *lock)
{
    irkiss_set_up(lock);
    IRKISS_ATOMIC(irkiss_drop(lock));
}

#endif

/* The run time of a sequentialized program: figures 4 and 5 of
 *
 *     Shaz Qadeer, Dinghao Wu: KISS: Keep It Simple and Sequential. PLDI 2004.
 *
 * The transformation inserts, before every visible instruction, a call of one of the functions below, and returns from the
 * instrumented function at once if it answers true (RAISE); after every call it returns if `raise` is set. Everything else
 * that the figures show stands here. The names of the paper: raise is __kiss_raise, ts is __kiss_ts, MAX is __irkiss_ts_max(),
 * access is __kiss_access_kind, choice{} is __irkiss_choice.
 *
 * Deviations from the paper, each marked (D) where it stands:
 *  1. Points stand before visible instructions only, and each can be switched off (an input of the check).
 *  2. ts holds a function with its argument, at the place of the thread's number; the per-thread state is saved around a
 *     scheduled thread.
 *  3. Instead of one distinguished variable r per program, the first access that is checked is written down (address,
 *     length) and plays the part of r from then on.
 *  4. Accesses are marked (atomic, volatile) or not; two marked accesses do not race.
 *  5. Figure 5 checks nothing in atomic{}. Here the section is probed at its entry: it is run to its end, one of its
 *     accesses is checked as a marked one, and what it did is undone.
 *  6. Race checking keeps the plain RAISE of figure 4 as well: with three threads the one between the two accesses may
 *     have to stop without having been checked.
 *  7. A thread started in an atomic section while ts is full runs at the end of the section, not inside it; an assertion
 *     that fails in a section counts when the section reaches its end.
 *
 * Stack objects of popped frames stay alive: other threads may hold their addresses.
 *
 * The frontend puts the locals of these functions into registers before it links them: __irkiss_rollback() restores memory,
 * so what has to survive it must not be in memory.
 */
#include "irkiss_internal.h"

/* Threads of one execution, the first included. */
#define THREADS 64
/* Threads that one atomic section may start beyond what ts takes. */
#define DEFERRED_CAPACITY 4

/* Sites that are no visible instruction: always enabled. */
#define SITE_END (~(u32)0)       /* the schedule() at the end of Check(s) */
#define SITE_EVERY (~(u32)0 - 1) /* a point of --instrument=every */

/* Flags of an access. */
#define WRITE 1u
#define MARKED 2u

/* Kinds of __irkiss_fail. */
#define FAIL_ASSERTION 0u
#define FAIL_RACE 1u

struct pending {
    void (*start)(void *);
    void *argument;
    u8 waits; /* created, not yet scheduled */
};

/* ---- State. ---- */

u8 __kiss_raise;                        /* the running thread is being taken off the stack */
struct pending __kiss_ts[THREADS];      /* by thread number: those that wait are in the multiset */
u64 __kiss_self;                        /* number of the running thread */
u64 __kiss_next = 1;                    /* number of the next thread to be created */
u32 __kiss_atomic;                      /* depth of atomic sections of the running thread */

/* The access that a stopped thread was about to make (D3). */
u32 __kiss_access_kind;                 /* access of figure 5: 0 none, 1 read, 2 write */
u8 __kiss_access_marked;
const void *__kiss_access_addr;
u64 __kiss_access_len;
u32 __kiss_access_site;
/* --race-check value: what that access, and the one at hand, is about to write, if that is known. */
u8 __kiss_access_known;
u64 __kiss_access_value;
u8 __kiss_written_known;
u64 __kiss_written;

/* The probe of an atomic section (D5). */
enum { NO_PROBE, PROBING, CHOSEN };
u8 __kiss_probe;
const void *__kiss_probe_addr;
u64 __kiss_probe_len;
u32 __kiss_probe_flags;
u32 __kiss_probe_site;

/* What waits for the end of the atomic section (D7). */
struct { void (*start)(void *); void *argument; u64 thread; } __kiss_deferred[DEFERRED_CAPACITY];
u32 __kiss_deferred_size;
u8 __kiss_failed;
u32 __kiss_failed_site;
u32 __kiss_noted; /* the kind of a check that failed in the section */
u32 __kiss_noted_site;

void __irkiss_main(void);      /* the program */
void __irkiss_pair_main(void); /* its part after initialisation, for drivers */

/* ---- Figure 4: assertion checking. ---- */

/* RAISE = raise = true; return */
static _Bool __kiss_raise_here(void)
{
    __kiss_raise = 1;
    return 1;
}

/* put(v0) */
void __kiss_put(void (*start)(void *), void *argument, u64 thread)
{
    struct pending *own = &__kiss_ts[thread];
    own->start = start;
    own->argument = argument;
    own->waits = 1;
}

/* size() */
static u32 __kiss_size(void)
{
    u32 size = 0;
    for (u64 thread = 1; thread < __kiss_next; thread++)
        size += __kiss_ts[thread].waits;
    return size;
}

/* f = get(): any element. */
u64 __kiss_get(u32 site)
{
    for (u64 thread = 1; thread < __kiss_next; thread++)
        if (__kiss_ts[thread].waits && __irkiss_choice(site, 2))
            return thread;
    __irkiss_assume(0);
    return 0;
}

/* [[f]](), as the thread that it is (D2). The caller resets raise, as in the figure. */
void __kiss_run(void (*start)(void *), void *argument, u64 thread)
{
    u64 self = __kiss_self;
    u32 atomic = __kiss_atomic;
    __kiss_self = thread;
    __kiss_atomic = 0;
    start(argument);
    __kiss_self = self;
    __kiss_atomic = atomic;
}

/* schedule(): the scheduling policy. Another one is another body of this function.
 *
 *     iter { if (size() > 0) { f = get(); [[f]](); raise = false; } }
 */
void __kiss_schedule_thread(u64 thread)
{
    struct pending *f = &__kiss_ts[thread];
    f->waits = 0;
    __kiss_run(f->start, f->argument, thread);
    __kiss_raise = 0;
}

void __kiss_schedule(u32 site)
{
    while (__kiss_size() > 0 && __irkiss_choice(site, 2))
        __kiss_schedule_thread(__kiss_get(site));
}

static _Bool __kiss_enabled(u32 site)
{
    return site >= SITE_EVERY || __irkiss_site_enabled(site);
}

/* schedule(); choice{skip [] RAISE}: before every statement (D1). In atomic{} there is no point. */
_Bool __kiss_point(u32 site)
{
    if (__kiss_atomic || !__kiss_enabled(site))
        return 0;
    __kiss_schedule(site);
    if (__irkiss_plain_raise() && __irkiss_choice(site, 2))
        return __kiss_raise_here();
    return 0;
}

/* [[return]] = schedule(); return. The thread's own frame is still there, raise is not possible. */
void __kiss_before_return(void)
{
    if (!__kiss_atomic)
        __kiss_schedule(SITE_EVERY);
}

/* [[async v0()]] = …; if (size() < MAX) put(v0) else { [[v0]](); raise = false }. Returns the number of the thread. */
u64 __kiss_async(void (*start)(void *), void *argument)
{
    u64 thread = __kiss_next++;
    if (thread >= THREADS)
        __irkiss_unsupported("more than 63 threads are created");
    if (__kiss_size() < __irkiss_ts_max()) {
        __kiss_put(start, argument, thread);
    } else if (__kiss_atomic) {
        /* (D7) */
        if (__kiss_deferred_size == DEFERRED_CAPACITY)
            __irkiss_unsupported("an atomic section starts more threads than the sequential program can defer");
        __kiss_deferred[__kiss_deferred_size].start = start;
        __kiss_deferred[__kiss_deferred_size].argument = argument;
        __kiss_deferred[__kiss_deferred_size].thread = thread;
        __kiss_deferred_size++;
    } else {
        __kiss_run(start, argument, thread);
        __kiss_raise = 0;
    }
    return thread;
}

/* [[assert(v0)]] = …; assert(v0) */
void __kiss_assert(_Bool condition, u32 site)
{
    if (condition)
        return;
    if (!__kiss_atomic)
        __irkiss_fail(FAIL_ASSERTION, 0, site);
    /* (D7) A later assume of the section may still keep the thread out of it. */
    if (!__kiss_failed) {
        __kiss_failed = 1;
        __kiss_failed_site = site;
    }
}

/* A check of a model, which the thread goes on after. The same holds in a section, for the first that fails there. */
void __kiss_claim(u32 kind, _Bool condition, u32 site)
{
    if (condition)
        return;
    if (!__kiss_atomic) {
        __irkiss_note(kind, 0, site);
    } else if (!__kiss_noted) {
        __kiss_noted = kind;
        __kiss_noted_site = site;
    }
}

/* The end of an atomic section: what had to wait for it. */
static void __kiss_leave_section(void)
{
    if (__kiss_failed)
        __irkiss_fail(FAIL_ASSERTION, 0, __kiss_failed_site);
    if (__kiss_noted) {
        u32 kind = __kiss_noted;
        __kiss_noted = 0;
        __irkiss_note(kind, 0, __kiss_noted_site);
    }
    while (__kiss_deferred_size > 0) {
        __kiss_deferred_size--;
        u32 last = __kiss_deferred_size;
        __kiss_run(__kiss_deferred[last].start, __kiss_deferred[last].argument, __kiss_deferred[last].thread);
        __kiss_raise = 0;
    }
}

/* The thread ends here, with all its frames; a section that it is in ends with it. */
_Bool __kiss_stop(void)
{
    if (__kiss_atomic) {
        /* A probe ends at the end of its section, which is not reached. */
        __irkiss_assume(__kiss_probe == NO_PROBE);
        __kiss_atomic = 0;
        __kiss_leave_section();
    }
    return __kiss_raise_here();
}

/* ---- Figure 5: race checking. ---- */

/* access = …, for a marked or plain access of any location (D3, D4). */
static void __kiss_record(const void *address, u64 length, u32 flags, u32 site)
{
    __kiss_access_kind = flags & WRITE ? 2 : 1;
    __kiss_access_marked = (flags & MARKED) != 0;
    __kiss_access_addr = address;
    __kiss_access_len = length;
    __kiss_access_site = site;
    __kiss_access_known = __kiss_written_known;
    __kiss_access_value = __kiss_written;
}

/* What is there now. */
static u64 __kiss_peek(const void *address, u64 length)
{
    if (length == 1)
        return *(const u8 *)address;
    if (length == 2)
        return *(const u16 *)address;
    if (length == 4)
        return *(const u32 *)address;
    return *(const u64 *)address;
}

/* --race-check value (WHOOP, ASE 2015, §IV: s = e; yield; assert s == e): whether it matters which of two conflicting accesses comes
 * first. Two writes of one value do not, nor does a write of what is there already beside a read. Where what is written is not known
 * (without that option it never is), it does. */
static _Bool __kiss_matters(const void *address, u64 length, u32 flags)
{
    if (!__kiss_access_known && !__kiss_written_known)
        return 1;
    if (address != __kiss_access_addr || length != __kiss_access_len)
        return 1;
    if (length != 1 && length != 2 && length != 4 && length != 8)
        return 1;
    if (__kiss_access_kind == 2 && (flags & WRITE))
        return !__kiss_access_known || !__kiss_written_known || __kiss_access_value != __kiss_written;
    if (__kiss_access_kind == 2)
        return !__kiss_access_known || __kiss_access_value != __kiss_peek(address, length);
    return !__kiss_written_known || __kiss_written != __kiss_peek(address, length);
}

/* x == &r, and what check_r and check_w assert is false. */
static _Bool __kiss_conflicts(const void *address, u64 length, u32 flags)
{
    if (!(flags & WRITE) && __kiss_access_kind != 2)
        return 0;
    if ((flags & MARKED) && __kiss_access_marked)
        return 0;
    if (!__irkiss_same_location(__kiss_access_addr, __kiss_access_len, address, length))
        return 0;
    return __kiss_matters(address, length, flags);
}

/* check_r(x), check_w(x):  if (x == &r) { assert(…); access = …; }
 * With r chosen by the first check, one that is no conflict adds nothing to the plain RAISE: it need not be explored. */
void __kiss_check(const void *address, u64 length, u32 flags, u32 site)
{
    if (__kiss_access_kind == 0) {
        __kiss_record(address, length, flags, site);
        return;
    }
    if (__kiss_conflicts(address, length, flags))
        __irkiss_fail(FAIL_RACE, __kiss_access_site, site);
    __irkiss_assume(0);
}

/* An access in a section that is being probed: it may be the one that counts (D5). Accesses in atomic{} are marked. */
static void __kiss_probe_access(const void *address, u64 length, u32 flags, u32 site)
{
    flags |= MARKED;
    if (__kiss_probe != PROBING || !__irkiss_check_enabled(site))
        return;
    if (__kiss_access_kind != 0 && !__kiss_conflicts(address, length, flags))
        return;
    if (!__irkiss_choice(site, 2))
        return;
    __kiss_probe = CHOSEN;
    __kiss_probe_addr = address;
    __kiss_probe_len = length;
    __kiss_probe_flags = flags;
    __kiss_probe_site = site;
}

/* choice{skip [] check(x); RAISE}: a further access of an instruction that had its point. */
_Bool __kiss_also(const void *address, u64 length, u32 flags, u32 site)
{
    if (__kiss_atomic) {
        __kiss_probe_access(address, length, flags, site);
        return 0;
    }
    if (__irkiss_check_enabled(site) && __irkiss_choice(site, 2)) {
        __kiss_check(address, length, flags, site);
        return __kiss_raise_here();
    }
    return 0;
}

/* schedule(); choice{skip [] check(x); RAISE [] RAISE}: before every access (D6). */
_Bool __kiss_access(const void *address, u64 length, u32 flags, u32 site)
{
    if (__kiss_point(site))
        return 1;
    return __kiss_also(address, length, flags, site);
}

/* The same for a write of a value that is known. */
_Bool __kiss_access_number(const void *address, u64 length, u32 flags, u32 site, u64 value)
{
    _Bool raised;
    if (__kiss_point(site))
        return 1;
    __kiss_written_known = 1;
    __kiss_written = value;
    raised = __kiss_also(address, length, flags, site);
    __kiss_written_known = 0;
    return raised;
}

_Bool __kiss_access_pointer(const void *address, u64 length, u32 flags, u32 site, const void *value)
{
    return __kiss_access_number(address, length, flags, site, (u64)(uptr)value);
}

/* [[atomic{s}]] = schedule(); choice{skip [] RAISE}; s, and the probe (D5). */
_Bool __kiss_atomic_begin(u32 site)
{
    if (!__kiss_atomic) {
        if (__kiss_point(site))
            return 1;
        if (__irkiss_check_enabled(site) && __irkiss_choice(site, 2)) {
            __irkiss_snapshot();
            __kiss_probe = PROBING;
        }
    }
    __kiss_atomic++;
    return 0;
}

/* The end of a probed section: it could be entered, so the access chosen is enabled at its beginning. */
static _Bool __kiss_end_probe(void)
{
    const void *address = __kiss_probe_addr;
    u64 length = __kiss_probe_len;
    u32 flags = __kiss_probe_flags;
    u32 site = __kiss_probe_site;
    __irkiss_assume(__kiss_probe == CHOSEN);
    if (__kiss_access_kind != 0)
        __irkiss_fail(FAIL_RACE, __kiss_access_site, site);
    __irkiss_rollback();
    __kiss_record(address, length, flags, site);
    return __kiss_raise_here();
}

_Bool __kiss_atomic_end(void)
{
    if (__kiss_atomic == 0)
        __irkiss_unsupported("the end of an atomic section that did not begin");
    __kiss_atomic--;
    if (__kiss_atomic)
        return 0;
    if (__kiss_probe != NO_PROBE)
        return __kiss_end_probe();
    __kiss_leave_section();
    return 0;
}

/* ---- --property atomicity: what is read is overwritten before the thread acts upon it. ----
 *
 * One read, any of those asked for, is written down; then the threads' accesses of the same bytes decide. What part a site can have,
 * and which writes depend on which reads, is computed before (src/analysis/atomicity.rs). */

/* Parts of a site. */
#define READS 1u        /* a read that a later write depends on */
#define DECIDES_ANEW 2u /* a read by which the thread would decide again */
#define ACTS 4u         /* a write that depends on a read */
#define INTERFERES 8u   /* a write */
#define FAIL_ATOMICITY 9u

enum { NOTHING_READ, READ, OVERWRITTEN, OVER };
u8 __kiss_basis; /* how it is with the read */
const void *__kiss_basis_addr;
u64 __kiss_basis_len;
u64 __kiss_basis_value;
u64 __kiss_basis_bits;
u64 __kiss_basis_thread;
u32 __kiss_basis_site;

/* Called just before an access is made. */
void __kiss_watch(const void *address, u64 length, u32 site)
{
    u32 part = __irkiss_watched(site);
    if (part == 0 || __kiss_probe != NO_PROBE)
        return;
    if (__kiss_basis == NOTHING_READ) {
        if ((part & READS) && __irkiss_choice(site, 2)) {
            __kiss_basis = READ;
            __kiss_basis_addr = address;
            __kiss_basis_len = length;
            __kiss_basis_value = __kiss_peek(address, length);
            __kiss_basis_bits = __irkiss_watched_bits(site);
            __kiss_basis_thread = __kiss_self;
            __kiss_basis_site = site;
        }
        return;
    }
    if (__kiss_basis == OVER || !__irkiss_same_location(__kiss_basis_addr, __kiss_basis_len, address, length))
        return;
    if (__kiss_basis_thread != __kiss_self) {
        if (part & INTERFERES)
            __kiss_basis = OVERWRITTEN;
        return;
    }
    if ((part & DECIDES_ANEW) || site == __kiss_basis_site) {
        __kiss_basis = OVER;
    } else if (part & INTERFERES) {
        /* It may have been written back as it was. */
        if (__kiss_basis == OVERWRITTEN && (part & ACTS) && address == __kiss_basis_addr && length == __kiss_basis_len &&
            ((__kiss_peek(address, length) ^ __kiss_basis_value) & __kiss_basis_bits) != 0)
            __irkiss_note(FAIL_ATOMICITY, __kiss_basis_site, site);
        __kiss_basis = OVER;
    }
}

/* ---- Check(s) = raise = false; ts = ∅; access = 0; [[s]]; schedule() ---- */

/* [[s]] has returned, by itself or raised. */
static void __kiss_finish(void)
{
    __kiss_raise = 0;
    __kiss_atomic = 0;
    __kiss_schedule(SITE_END);
}

void __kiss_main(void)
{
    __kiss_raise = 0;
    __kiss_access_kind = 0;
    __irkiss_main();
    __kiss_finish();
}

/* The same from the state that initialisation leaves. */
void __kiss_pair_main(void)
{
    __irkiss_pair_main();
    __kiss_finish();
}

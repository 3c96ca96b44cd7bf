/* The run time of a program that Lal and Reps's transformation has made sequential:
 *
 *     Akash Lal, Thomas Reps: Reducing Concurrent Analysis Under a Context Bound to Sequential Analysis. CAV 2008.
 *     Shuvendu Lahiri, Shaz Qadeer, Zvonimir Rakamarić: Static and Precise Detection of Concurrency Errors in Systems Code
 *     Using SMT Solvers. CAV 2009, §2.2.
 *
 * Threads are executed one after the other, each once, in the order of their numbers. There are K copies of the shared store,
 * one for each round; those of the rounds 2 to K begin with arbitrary content, a guess. A thread accesses the copy of the round
 * that it is in, and may go on to a later round at each visible instruction. At the end each round must have left what the next
 * one was guessed to begin with: what remains are the executions in which threads take turns, K for each. The transformation
 * inserts, before every visible instruction, a call of one of the functions below, puts the address in the copy of the round in
 * the place of every address that is accessed, and returns from the instrumented function at once if the call answers true.
 * The names of the papers: k is __lr_round (from 0), K is __irkiss_contexts(), Schedule() is __lr_pass, error is __lr_failed.
 *
 * Deviations from the papers, each marked (D) where it stands:
 *  1. Points stand before visible instructions only, and each can be switched off (an input of the check).
 *  2. Copies are made of objects of memory as they are met, not of a fixed set of global variables: __irkiss_copy() is the
 *     address in a copy, and the addresses that the program computes with and stores are those of round 0, so that a pointer
 *     means the same in all rounds. Ghost state and the life of heap blocks have copies like memory.
 *  3. Threads are started by the program. One that is started in a round may begin in that round; what it is started with is
 *     written down beside the stores. The number of the next one belongs to the store: where threads start threads it is
 *     guessed like the rest, so that threads are numbered in the order in which they are started.
 *  4. Beside assertions, races: a thread may stop for good before an access, and two that have stopped at conflicting ones are
 *     a race. An access of an atomic section counts at its beginning, as in kiss.c.
 *  5. An assertion that fails in a section counts when the section reaches its end.
 *
 * What fails, traps or blocks under a wrong guess is no execution: nothing is claimed before the end.
 *
 * The frontend puts the locals of these functions into registers before it links them: __irkiss_rollback() restores memory,
 * so what has to survive it must not be in memory.
 */
#include "irkiss_internal.h"

/* Threads of one execution, the first included. */
#define THREADS 8

/* A site that is no visible instruction: always enabled. */
#define SITE_BEGIN (~(u32)0) /* the beginning of a thread */

/* Flags of an access. */
#define WRITE 1u
#define MARKED 2u

/* Kinds of __irkiss_fail. */
#define FAIL_ASSERTION 0u
#define FAIL_RACE 1u

/* What is done at an address of which the copy is asked for (src/symex/memory/round_copies.rs). */
enum { READS, WRITES, READS_GHOST, WRITES_GHOST, FREES };

struct slot {
    void (*start)(void *);
    void *argument;
    u32 round; /* in which it was started */
    u8 created;
};

/* ---- State of the simulation: none of it is copied. ---- */

u8 __lr_raise;                      /* the running thread is being taken off the stack */
u64 __lr_self;                      /* number of the running thread */
u32 __lr_atomic;                    /* depth of atomic sections of the running thread */
u32 __lr_round;                     /* round of the running thread */
struct slot __lr_slots[THREADS];    /* by thread number */
u8 __lr_started;                    /* there is a second thread */
u8 __lr_too_many;

/* Number of the next thread to be created: part of the store. */
u64 __lr_next = 1;

/* The access that a stopped thread was about to make (D4). */
u32 __lr_access_kind;               /* 0 none, 1 read, 2 write */
u8 __lr_access_marked;
const void *__lr_access_addr;
u64 __lr_access_len;
u32 __lr_access_site;
u32 __lr_access_round;
u64 __lr_access_by;

/* The probe of an atomic section. */
enum { NO_PROBE, PROBING, CHOSEN };
u8 __lr_probe;
const void *__lr_probe_addr;
u64 __lr_probe_len;
u32 __lr_probe_flags;
u32 __lr_probe_site;

/* What fails, if the execution is one. */
u8 __lr_failed;
u32 __lr_failed_kind;
u32 __lr_failed_first;
u32 __lr_failed_second;
u64 __lr_failed_by;
/* When: nothing that comes later belongs to it. */
u32 __lr_until_round;
u64 __lr_until_thread;
/* In the section (D5). */
u8 __lr_noted;
u32 __lr_noted_site;

void __irkiss_main(void);      /* the program */
void __irkiss_pair_main(void); /* its part after initialisation, for drivers */

static _Bool __lr_raise_here(void)
{
    __lr_raise = 1;
    return 1;
}

/* ---- Addresses in the copy of the round (D2). Before there is a second thread there is one round. ---- */

void *__lr_read(const void *address, u64 length)
{
    return __irkiss_copy(address, length, __lr_round, READS);
}

void *__lr_write(void *address, u64 length)
{
    return __irkiss_copy(address, length, __lr_round, __lr_started ? WRITES : READS);
}

void *__lr_ghost_read(const void *address)
{
    return __irkiss_copy(address, 0, __lr_round, READS_GHOST);
}

void *__lr_ghost_write(const void *address)
{
    return __irkiss_copy(address, 0, __lr_round, __lr_started ? WRITES_GHOST : READS_GHOST);
}

void *__lr_free(void *object)
{
    return object ? __irkiss_copy(object, 1, __lr_round, __lr_started ? FREES : READS) : object;
}

/* ---- Schedule(): iter { if (k < K) k++ }; choice{skip [] RAISE}. ---- */

/* Past the last round there is nothing: a thread that goes there has stopped for good. */
_Bool __lr_pass(u32 site)
{
    if (!__lr_started)
        return 0;
    __lr_round += __irkiss_choice(site, __irkiss_contexts() + 1);
    return __lr_round >= __irkiss_contexts() ? __lr_raise_here() : 0;
}

/* Before every visible instruction (D1). In atomic{} there is no point. */
_Bool __lr_point(u32 site)
{
    if (__lr_atomic || !__irkiss_site_enabled(site))
        return 0;
    return __lr_pass(site);
}

/* ---- Threads (D3). ---- */

u64 __lr_async(void (*start)(void *), void *argument)
{
    /* Thread 0 is executed first: as long as no other starts threads its count is right in all rounds. */
    u64 *next = __irkiss_copy(&__lr_next, sizeof __lr_next, __lr_round, __lr_self ? WRITES : READS);
    u64 thread = *next;
    *next = thread + 1;
    __lr_started = 1;
    if (thread - 1 < THREADS - 1) {
        __lr_slots[thread].start = start;
        __lr_slots[thread].argument = argument;
        __lr_slots[thread].round = __lr_round;
        __lr_slots[thread].created = 1;
    } else {
        __lr_too_many = 1;
    }
    return thread;
}

void __lr_run(u64 thread)
{
    struct slot *own = &__lr_slots[thread];
    __lr_self = thread;
    __lr_atomic = 0;
    __lr_raise = 0;
    __lr_round = own->round;
    if (!__lr_pass(SITE_BEGIN))
        own->start(own->argument);
}

/* ---- Failures: told at the end. ---- */

/* One in each execution: a thread that fails might as well have stopped before. */
static _Bool __lr_fail(u32 kind, u32 first, u32 second)
{
    __irkiss_assume(!__lr_failed);
    __lr_failed = 1;
    __lr_failed_kind = kind;
    __lr_failed_first = first;
    __lr_failed_second = second;
    __lr_failed_by = __lr_self;
    __lr_until_round = __lr_round;
    __lr_until_thread = __lr_self;
    return __lr_raise_here();
}

_Bool __lr_assert(_Bool condition, u32 site)
{
    if (condition)
        return 0;
    if (!__lr_atomic)
        return __lr_fail(FAIL_ASSERTION, 0, site);
    /* (D5) A later assume of the section may still keep the thread out of it. */
    if (!__lr_noted) {
        __lr_noted = 1;
        __lr_noted_site = site;
    }
    return 0;
}

static _Bool __lr_leave_section(void)
{
    u32 site = __lr_noted_site;
    if (!__lr_noted)
        return 0;
    __lr_noted = 0;
    return __lr_fail(FAIL_ASSERTION, 0, site);
}

/* The thread ends here, with all its frames; a section that it is in ends with it. */
_Bool __lr_stop(void)
{
    if (__lr_atomic) {
        /* A probe ends at the end of its section, which is not reached. */
        __irkiss_assume(__lr_probe == NO_PROBE);
        __lr_atomic = 0;
        __lr_leave_section();
    }
    return __lr_raise_here();
}

/* ---- Races (D4). ---- */

/* Addresses are those of round 0, whatever rounds the two threads are in. */
static _Bool __lr_conflicts(const void *address, u64 length, u32 flags)
{
    uptr a = (uptr)__lr_access_addr, b = (uptr)address;
    if (!(flags & WRITE) && __lr_access_kind != 2)
        return 0;
    if ((flags & MARKED) && __lr_access_marked)
        return 0;
    return a < b + (uptr)length && b < a + (uptr)__lr_access_len;
}

/* The thread has stopped just before an access. */
static _Bool __lr_stop_before(const void *address, u64 length, u32 flags, u32 site)
{
    _Bool later = __lr_round > __lr_access_round || (__lr_round == __lr_access_round && __lr_self > __lr_access_by);
    u32 round = later ? __lr_round : __lr_access_round;
    u64 thread = later ? __lr_self : __lr_access_by;
    if (__lr_access_kind == 0) {
        __lr_access_kind = flags & WRITE ? 2 : 1;
        __lr_access_marked = (flags & MARKED) != 0;
        __lr_access_addr = address;
        __lr_access_len = length;
        __lr_access_site = site;
        __lr_access_round = __lr_round;
        __lr_access_by = __lr_self;
        return __lr_raise_here();
    }
    __lr_fail(FAIL_RACE, __lr_access_site, site);
    __lr_until_round = round;
    __lr_until_thread = thread;
    return 1;
}

/* One that is no conflict adds nothing: the thread may stop there for no reason. */
static _Bool __lr_check(const void *address, u64 length, u32 flags, u32 site)
{
    void *own = __irkiss_copy(address, length, __lr_round, READS);
    if (__lr_access_kind != 0)
        __irkiss_assume(__lr_conflicts(address, length, flags));
    /* Who accesses what is not there dies. */
    __irkiss_assume(__irkiss_same_location(own, length, own, length));
    return __lr_stop_before(address, length, flags, site);
}

/* An access in a section that is being probed: it may be the one that counts. Accesses in atomic{} are marked. */
static void __lr_probe_access(const void *address, u64 length, u32 flags, u32 site)
{
    flags |= MARKED;
    if (__lr_probe != PROBING || !__irkiss_check_enabled(site))
        return;
    if (__lr_access_kind != 0 && !__lr_conflicts(address, length, flags))
        return;
    if (!__irkiss_choice(site, 2))
        return;
    __lr_probe = CHOSEN;
    __lr_probe_addr = address;
    __lr_probe_len = length;
    __lr_probe_flags = flags;
    __lr_probe_site = site;
}

/* A further access of an instruction that had its point. */
_Bool __lr_also(const void *address, u64 length, u32 flags, u32 site)
{
    if (__lr_atomic) {
        __lr_probe_access(address, length, flags, site);
        return 0;
    }
    if (__irkiss_check_enabled(site) && __irkiss_choice(site, 2))
        return __lr_check(address, length, flags, site);
    return 0;
}

/* Before every access. */
_Bool __lr_access(const void *address, u64 length, u32 flags, u32 site)
{
    if (__lr_point(site))
        return 1;
    return __lr_also(address, length, flags, site);
}

_Bool __lr_atomic_begin(u32 site)
{
    if (!__lr_atomic) {
        if (__lr_point(site))
            return 1;
        if (__irkiss_check_enabled(site) && __irkiss_choice(site, 2)) {
            __irkiss_snapshot();
            __lr_probe = PROBING;
        }
    }
    __lr_atomic++;
    return 0;
}

/* The end of a probed section: it could be entered, so the access chosen is enabled at its beginning. */
static _Bool __lr_end_probe(void)
{
    const void *address = __lr_probe_addr;
    u64 length = __lr_probe_len;
    u32 flags = __lr_probe_flags;
    u32 site = __lr_probe_site;
    __irkiss_assume(__lr_probe == CHOSEN);
    __irkiss_rollback();
    return __lr_stop_before(address, length, flags, site);
}

_Bool __lr_atomic_end(void)
{
    if (__lr_atomic == 0)
        __irkiss_unsupported("the end of an atomic section that did not begin");
    __lr_atomic--;
    if (__lr_atomic)
        return 0;
    if (__lr_probe != NO_PROBE)
        return __lr_end_probe();
    return __lr_leave_section();
}

/* ---- Check(s) = k = 0; [[s]]; the other threads; for all k < K: assume what round k left is what k + 1 began with;
 *                 assert !error ---- */

static void __lr_finish(void)
{
    for (u64 thread = 1; thread < THREADS; thread++) {
        /* Whether the thread before was raised tells nothing any more: from the branch on it is one state. */
        __lr_raise = 0;
        if (__lr_slots[thread].created)
            __lr_run(thread);
    }
    __lr_raise = 0;
    __irkiss_consistent();
    if (__lr_too_many)
        __irkiss_unsupported("more than 7 threads are created");
    if (__lr_failed) {
        __lr_self = __lr_failed_by;
        __irkiss_fail(__lr_failed_kind, __lr_failed_first, __lr_failed_second);
    }
}

void __lr_main(void)
{
    __irkiss_main();
    __lr_finish();
}

/* The same from the state that initialisation leaves. */
void __lr_pair_main(void)
{
    __irkiss_pair_main();
    __lr_finish();
}

/* RCU, and SRCU, each of whose structures is a domain of its own (kernel/rcu/srcutree.c). Readers exclude nobody; a grace period waits for
 * the readers of its domain that were there before it, and for no others.
 *
 * Readers are counted in two phases, as SRCU does: one enters in the current phase, a grace period
 * changes the phase and waits until nobody is left in the old one. One that begins while another is under way changes nothing and waits
 * until nobody is left in either: it may wait for a reader that came later. Interrupt handlers, softirqs and whoever has switched
 * preemption off, as spin locks do, are readers of RCU by where they run (Linux 5.0 and later); not of SRCU. A callback (call_rcu) is a handler that the
 * call arms; where its rule makes it one, it waits for a grace period of its own before it starts.
 */
#include "irkiss_linux.h"

void __irkiss_may_sleep(void);

/* The domain of RCU; with it, of each thread 2 * depth + phase. */
static const u8 rcu;

static u32 own_key(void)
{
    return IRKISS_GHOST_READER + (u32)(__irkiss_self() & 63);
}

/* Within an atomic section, as all of these. */
static u32 readers_key(u64 phase)
{
    return IRKISS_GHOST_PHASE_READERS + (phase ? 1 : 0);
}

static void count(const void *domain, u64 phase, u64 step)
{
    u32 key = readers_key(phase);
    __irkiss_ghost_set(domain, key, __irkiss_ghost_get(domain, key) + step);
}

/* For --property deadlock: who reads, and who is one of those that a grace period waits for. Who has merely switched preemption off and
 * sleeps all the same makes a mistake of another kind: the grace period goes on (kernel/rcu/tree_plugin.h: rcu_note_context_switch). */
static void enters(const void *domain, u64 phase)
{
    if (__irkiss_property(IRKISS_DEADLOCK)) {
        __irkiss_ghost_set(domain, IRKISS_GHOST_READ_IN_PHASE + (phase ? 1 : 0), irkiss_me());
        if (domain != &rcu)
            __irkiss_ghost_set(domain, own_key(), __irkiss_ghost_get(domain, own_key()) + 1);
    }
}

static void leaves(const void *domain, u64 phase)
{
    if (__irkiss_property(IRKISS_DEADLOCK)) {
        u32 key = IRKISS_GHOST_READ_IN_PHASE + (phase ? 1 : 0);
        if (__irkiss_ghost_get(domain, key) == irkiss_me() || __irkiss_ghost_get(domain, readers_key(phase)) == 0)
            __irkiss_ghost_set(domain, key, 0);
        if (domain != &rcu && __irkiss_ghost_get(domain, own_key()) != 0)
            __irkiss_ghost_set(domain, own_key(), __irkiss_ghost_get(domain, own_key()) - 1);
    }
}

void __irkiss_reads_more(u32 times)
{
    u32 key = own_key();
    u64 own = __irkiss_ghost_get(&rcu, key);
    if (own < 2) {
        own = __irkiss_ghost_get(&rcu, IRKISS_GHOST_PHASE);
        count(&rcu, own, 1);
    }
    __irkiss_ghost_set(&rcu, key, own + 2 * times);
}

/* Who reads less often than that reads no more. */
void __irkiss_reads_less(u32 times)
{
    u32 key = own_key();
    u64 own = __irkiss_ghost_get(&rcu, key);
    if (own >= 2) {
        own = own >= 2 * times ? own - 2 * times : own & 1;
        if (own < 2) {
            count(&rcu, own, ~0ull);
            leaves(&rcu, own);
            own = 0;
        }
        __irkiss_ghost_set(&rcu, key, own);
    }
}

static _Bool reads(void)
{
    return __irkiss_ghost_get(&rcu, own_key()) >= 2;
}

/* Called by the harness around what is a reader from beginning to end, by where it runs. */
void __irkiss_reader_begin(void)
{
    IRKISS_ATOMIC(__irkiss_reads_more(1); enters(&rcu, __irkiss_ghost_get(&rcu, own_key()) & 1));
}

void __irkiss_reader_end(void)
{
    IRKISS_ATOMIC(__irkiss_reads_less(1));
    irkiss_has_read();
}

void __rcu_read_lock(void)
{
    __irkiss_reader_begin();
    irkiss_stay_awake();
}

void __rcu_read_unlock(void)
{
    __irkiss_reader_end();
    irkiss_may_sleep();
}

/* Two steps: it begins, and it ends. `waits`: whoever asked for it does nothing else meanwhile. */
static void await_readers(const void *domain, _Bool waits)
{
    u64 old, others;
    __irkiss_atomic_begin();
    old = __irkiss_ghost_get(domain, IRKISS_GHOST_PHASE);
    others = __irkiss_ghost_get(domain, IRKISS_GHOST_GRACES);
    __irkiss_ghost_set(domain, IRKISS_GHOST_GRACES, others + 1);
    if (others == 0)
        __irkiss_ghost_set(domain, IRKISS_GHOST_PHASE, old ^ 1);
    __irkiss_atomic_end();
    /* While this one waits no other changes the phase: the readers of the old one are those that it waits for. */
    if (__irkiss_property(IRKISS_DEADLOCK) && waits && others == 0)
        irkiss_may_wait(domain, old ? IRKISS_AWAITS_PHASE + 1 : IRKISS_AWAITS_PHASE, 0);
    __irkiss_atomic_begin();
    __irkiss_assume(__irkiss_ghost_get(domain, readers_key(old)) == 0 &&
                    (others == 0 || __irkiss_ghost_get(domain, readers_key(old ^ 1)) == 0));
    __irkiss_ghost_set(domain, IRKISS_GHOST_GRACES, __irkiss_ghost_get(domain, IRKISS_GHOST_GRACES) - 1);
    __irkiss_atomic_end();
}

/* What is left of the two in a kernel without preemption (src/frontend/close/idioms.rs). */
void __irkiss_section_begin(void)
{
    __rcu_read_lock();
}

void __irkiss_section_end(void)
{
    __rcu_read_unlock();
}

static void grace_period(const void *domain)
{
    await_readers(domain, 1);
}

void synchronize_rcu(void)
{
    grace_period(&rcu);
}

void synchronize_rcu_expedited(void)
{
    grace_period(&rcu);
}

void synchronize_net(void)
{
    grace_period(&rcu);
}

/* ---- SRCU: the number that the lock gives is the phase. Who reads may sleep. ---- */
int __srcu_read_lock(void *domain)
{
    u64 phase;
    IRKISS_ATOMIC(phase = __irkiss_ghost_get(domain, IRKISS_GHOST_PHASE); count(domain, phase, 1); enters(domain, phase));
    return (int)phase;
}

void __srcu_read_unlock(void *domain, int phase)
{
    IRKISS_ATOMIC(count(domain, (u64)phase & 1, ~0ull); leaves(domain, (u64)phase & 1));
}

void synchronize_srcu(void *domain)
{
    grace_period(domain);
}

void synchronize_srcu_expedited(void *domain)
{
    grace_period(domain);
}

/* ---- With --property uaf, what is done once a grace period is over may be done in the thread that has asked for it, which is held up that
 * long: there and then, or, if it reads itself, when it has come to the end of that; or it is not done while anybody looks. A use that
 * comes after is a use of what is freed, whoever frees it. Of what a thread asks for while it reads, the last is done. ---- */
static _Thread_local const void *freed_later, *called_later;

void kfree(const void *object);

static void free_after_grace(const void *object)
{
    await_readers(&rcu, 0);
    kfree(object);
}

static void frees(const void *object)
{
    if (__irkiss_property(IRKISS_UAF)) {
        if (__irkiss_nondet_bool()) {
            if (reads())
                IRKISS_ATOMIC(freed_later = object);
            else
                free_after_grace(object);
        }
    }
}

void __irkiss_has_read(void)
{
    const void *object;
    __irkiss_atomic_begin();
    object = reads() ? NULL : freed_later;
    if (object)
        freed_later = NULL;
    __irkiss_atomic_end();
    if (object)
        free_after_grace(object);
}

/* Where the input has no callback that the harness knows. */
void __irkiss_grace_over(const void *)
{
}

/* The same of a callback; one that is a thread of the pair runs there. While entry points are set up none runs. */
static void call_back(const void *head)
{
    if (__irkiss_property(IRKISS_UAF)) {
        if (!__irkiss_sets_up() && __irkiss_nondet_bool()) {
            if (reads())
                IRKISS_ATOMIC(called_later = head);
            else
                __irkiss_grace_over(head);
        }
    }
}

/* Called by the harness at the end of an entry point. */
void __irkiss_entry_over(void)
{
    const void *head;
    if (__irkiss_property(IRKISS_UAF)) {
        IRKISS_ATOMIC(head = called_later; called_later = NULL);
        if (head)
            __irkiss_grace_over(head);
    }
}

/* kfree_rcu: kernel/rcu/tree.c: kvfree_call_rcu frees at some time after a grace period (kfree_rcu_work). It is given the head and where
 * that lies in the object, since 6.2 the head and the object; without a head, the object. Offsets are below 4096 (include/linux/rcupdate.h:
 * __is_kvfree_rcu_offset). */
static _Bool is_offset(const void *given)
{
    return (uptr)given < 4096;
}

IRKISS_ASSUMES("freed-later")
void kvfree_call_rcu(void *head, void *given)
{
    /* Without a head there may be no memory for one: it waits for a grace period itself. */
    if (!head)
        __irkiss_may_sleep();
    frees(is_offset(given) ? (const char *)head - (uptr)given : (const char *)given);
}

/* Up to 5.8. */
IRKISS_ASSUMES("freed-later")
void kfree_call_rcu(void *head, void *given)
{
    kvfree_call_rcu(head, given);
}

/* ---- Callbacks. Each is of the epoch in which it was queued; rcu_barrier ends the epoch: it waits for callbacks that have
 * begun, and no callback of an old epoch begins (it has run before, or what it does is left out). ---- */
static void queue(const void *domain, void *head, void (*callback)(void *))
{
    IRKISS_ATOMIC(__irkiss_ghost_set(head, IRKISS_GHOST_GRACE, __irkiss_ghost_get(domain, IRKISS_GHOST_EPOCH) + 1);
                  __irkiss_ghost_set(head, IRKISS_GHOST_DOMAIN, domain == &rcu ? 0 : (u64)(uptr)domain));
    (void)__irkiss_arm(head, (const void *)callback);
    call_back(head);
}

/* In kernels for one processor this is what kfree_rcu calls, too (include/linux/rcutiny.h: __kvfree_call_rcu). */
static void queue_or_free(void *head, void (*callback)(void *))
{
    if (is_offset((const void *)callback))
        frees((const char *)head - (uptr)callback);
    else
        queue(&rcu, head, callback);
}

void call_rcu(void *head, void (*callback)(void *))
{
    queue_or_free(head, callback);
}

void call_rcu_hurry(void *head, void (*callback)(void *))
{
    queue_or_free(head, callback);
}

void call_srcu(void *domain, void *head, void (*callback)(void *))
{
    queue(domain, head, callback);
}

static const void *domain_of(const void *head)
{
    u64 domain = __irkiss_ghost_get(head, IRKISS_GHOST_DOMAIN);
    return domain ? (const void *)(uptr)domain : &rcu;
}

/* At the begin and the end of a handler, within an atomic section: counts it if its object is one that call_rcu was given. */
_Bool __irkiss_grace_begin(const void *object)
{
    u64 epoch = __irkiss_ghost_get(object, IRKISS_GHOST_GRACE);
    const void *domain;
    if (!epoch)
        return 0;
    domain = domain_of(object);
    __irkiss_assume(epoch == __irkiss_ghost_get(domain, IRKISS_GHOST_EPOCH) + 1);
    __irkiss_ghost_set(domain, IRKISS_GHOST_CALLBACKS, __irkiss_ghost_get(domain, IRKISS_GHOST_CALLBACKS) + 1);
    return 1;
}

void __irkiss_grace_wait(const void *object)
{
    const void *domain;
    IRKISS_ATOMIC(domain = domain_of(object));
    await_readers(domain, irkiss_state(IRKISS_GHOST_STANDS_IN) == 0);
}

void __irkiss_grace_end(const void *object)
{
    if (__irkiss_ghost_get(object, IRKISS_GHOST_GRACE) != 0) {
        const void *domain = domain_of(object);
        __irkiss_ghost_set(object, IRKISS_GHOST_GRACE, 0);
        __irkiss_ghost_set(domain, IRKISS_GHOST_CALLBACKS, __irkiss_ghost_get(domain, IRKISS_GHOST_CALLBACKS) - 1);
    }
}

static void barrier(const void *domain)
{
    __irkiss_atomic_begin();
    __irkiss_assume(__irkiss_ghost_get(domain, IRKISS_GHOST_CALLBACKS) == 0);
    __irkiss_ghost_set(domain, IRKISS_GHOST_EPOCH, __irkiss_ghost_get(domain, IRKISS_GHOST_EPOCH) + 1);
    __irkiss_atomic_end();
}

void rcu_barrier(void)
{
    barrier(&rcu);
}

void srcu_barrier(void *domain)
{
    barrier(domain);
}

/* RCU, and SRCU, each of whose structures is a domain of its own (kernel/rcu/srcutree.c). Readers exclude nobody; a grace period waits for
 * the readers of its domain that were there before it, and for no others.
 *
 * Readers are counted in two phases, as SRCU does: one enters in the current phase, a grace period
 * changes the phase and waits until nobody is left in the old one. One that begins while another is under way changes nothing and waits
 * until nobody is left in either: it may wait for a reader that came later. Interrupt handlers and softirqs are
 * readers of RCU by where they run (Linux 5.0 and later); not of SRCU. A callback (call_rcu) is a handler that the
 * call arms; where its rule makes it one, it waits for a grace period of its own before it starts.
 */
#include "irkiss_linux.h"

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

/* For --property deadlock: who reads, and who is one of those that a grace period waits for. */
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

/* Called by the harness around an interrupt handler or a softirq, which is a reader by where it runs. */
void __irkiss_reader_begin(void)
{
    u32 key = own_key();
    u64 own;
    __irkiss_atomic_begin();
    own = __irkiss_ghost_get(&rcu, key);
    if (own < 2) {
        own = __irkiss_ghost_get(&rcu, IRKISS_GHOST_PHASE);
        count(&rcu, own, 1);
        enters(&rcu, own);
    }
    __irkiss_ghost_set(&rcu, key, own + 2);
    __irkiss_atomic_end();
}

void __irkiss_reader_end(void)
{
    u32 key = own_key();
    u64 own;
    __irkiss_atomic_begin();
    own = __irkiss_ghost_get(&rcu, key);
    if (own >= 2) {
        own -= 2;
        if (own < 2) {
            count(&rcu, own, ~0ull);
            leaves(&rcu, own);
            own = 0;
        }
        __irkiss_ghost_set(&rcu, key, own);
    }
    __irkiss_atomic_end();
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

/* Two steps: it begins, and it ends. */
static void grace_period(const void *domain)
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
    if (__irkiss_property(IRKISS_DEADLOCK) && others == 0)
        irkiss_may_wait(domain, old ? IRKISS_AWAITS_PHASE + 1 : IRKISS_AWAITS_PHASE, 0);
    __irkiss_atomic_begin();
    __irkiss_assume(__irkiss_ghost_get(domain, readers_key(old)) == 0 &&
                    (others == 0 || __irkiss_ghost_get(domain, readers_key(old ^ 1)) == 0));
    __irkiss_ghost_set(domain, IRKISS_GHOST_GRACES, __irkiss_ghost_get(domain, IRKISS_GHOST_GRACES) - 1);
    __irkiss_atomic_end();
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

/* ---- Callbacks. Each is of the epoch in which it was queued; rcu_barrier ends the epoch: it waits for callbacks that have
 * begun, and no callback of an old epoch begins (it has run before, or what it does is left out). ---- */
static void queue(const void *domain, void *head, void (*callback)(void *))
{
    IRKISS_ATOMIC(__irkiss_ghost_set(head, IRKISS_GHOST_GRACE, __irkiss_ghost_get(domain, IRKISS_GHOST_EPOCH) + 1);
                  __irkiss_ghost_set(head, IRKISS_GHOST_DOMAIN, domain == &rcu ? 0 : (u64)(uptr)domain));
    (void)__irkiss_arm(head, (const void *)callback);
}

void call_rcu(void *head, void (*callback)(void *))
{
    queue(&rcu, head, callback);
}

void call_rcu_hurry(void *head, void (*callback)(void *))
{
    queue(&rcu, head, callback);
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
    grace_period(domain);
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

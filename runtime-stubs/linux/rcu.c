/* RCU. Readers exclude nobody; a grace period waits for the readers that were there before it, and for no others.
 *
 * Readers are counted in two phases, as SRCU does (kernel/rcu/srcutree.c): one enters in the current phase, a grace period
 * changes the phase and waits until nobody is left in the old one. Two grace periods at once may wait for a reader that came
 * between them. A section within a handler counts only if the handler says so. A callback (call_rcu) is a handler that the
 * call arms; where its rule makes it one, it waits for a grace period of its own before it starts.
 */
#include "irkiss_linux.h"

/* Ghost keys on this object: the current phase, readers in phase 0 and in phase 1, and of each thread 2 * depth + phase. */
static const u8 rcu;
#define PHASE IRKISS_GHOST_COUNT

static u32 own_key(void)
{
    return IRKISS_GHOST_READER + (u32)(__irkiss_self() & 63);
}

/* Within an atomic section. */
static void count(u64 phase, u64 step)
{
    __irkiss_ghost_set(&rcu, IRKISS_GHOST_SIGNALS, __irkiss_ghost_get(&rcu, IRKISS_GHOST_SIGNALS) + (phase ? 0 : step));
    __irkiss_ghost_set(&rcu, IRKISS_GHOST_WAITERS, __irkiss_ghost_get(&rcu, IRKISS_GHOST_WAITERS) + (phase ? step : 0));
}

void __rcu_read_lock(void)
{
    u32 key = own_key();
    u64 own;
    __irkiss_atomic_begin();
    own = __irkiss_ghost_get(&rcu, key);
    if (own < 2) {
        own = __irkiss_ghost_get(&rcu, PHASE);
        count(own, 1);
    }
    __irkiss_ghost_set(&rcu, key, own + 2);
    __irkiss_atomic_end();
    irkiss_stay_awake();
}

void __rcu_read_unlock(void)
{
    u32 key = own_key();
    u64 own;
    __irkiss_atomic_begin();
    own = __irkiss_ghost_get(&rcu, key);
    if (own >= 2) {
        own -= 2;
        if (own < 2) {
            count(own, ~0ull);
            own = 0;
        }
        __irkiss_ghost_set(&rcu, key, own);
    }
    __irkiss_atomic_end();
    irkiss_may_sleep();
}

void synchronize_rcu(void)
{
    u64 old;
    __irkiss_atomic_begin();
    old = __irkiss_ghost_get(&rcu, PHASE);
    __irkiss_ghost_set(&rcu, PHASE, old ^ 1);
    __irkiss_atomic_end();
    __irkiss_atomic_begin();
    __irkiss_assume((old ? __irkiss_ghost_get(&rcu, IRKISS_GHOST_WAITERS) : __irkiss_ghost_get(&rcu, IRKISS_GHOST_SIGNALS)) == 0);
    __irkiss_atomic_end();
}

void synchronize_rcu_expedited(void)
{
    synchronize_rcu();
}

void synchronize_net(void)
{
    synchronize_rcu();
}

/* ---- Callbacks. Each is of the epoch in which it was queued; rcu_barrier ends the epoch: it waits for callbacks that have
 * begun, and no callback of an old epoch begins (it has run before, or what it does is left out). ---- */
#define EPOCH IRKISS_GHOST_HANDLE
#define RUNNING IRKISS_GHOST_LIMIT

void call_rcu(void *head, void (*callback)(void *))
{
    IRKISS_ATOMIC(__irkiss_ghost_set(head, IRKISS_GHOST_GRACE, __irkiss_ghost_get(&rcu, EPOCH) + 1));
    (void)__irkiss_arm(head, (const void *)callback);
}

void call_rcu_hurry(void *head, void (*callback)(void *))
{
    call_rcu(head, callback);
}

/* At the begin and the end of a handler, within an atomic section: counts it if its object is one that call_rcu was given. */
_Bool __irkiss_grace_begin(const void *object)
{
    u64 epoch = __irkiss_ghost_get(object, IRKISS_GHOST_GRACE);
    if (!epoch)
        return 0;
    __irkiss_assume(epoch == __irkiss_ghost_get(&rcu, EPOCH) + 1);
    __irkiss_ghost_set(&rcu, RUNNING, __irkiss_ghost_get(&rcu, RUNNING) + 1);
    return 1;
}

void __irkiss_grace_end(const void *object)
{
    if (__irkiss_ghost_get(object, IRKISS_GHOST_GRACE) != 0) {
        __irkiss_ghost_set(object, IRKISS_GHOST_GRACE, 0);
        __irkiss_ghost_set(&rcu, RUNNING, __irkiss_ghost_get(&rcu, RUNNING) - 1);
    }
}

void rcu_barrier(void)
{
    __irkiss_atomic_begin();
    __irkiss_assume(__irkiss_ghost_get(&rcu, RUNNING) == 0);
    __irkiss_ghost_set(&rcu, EPOCH, __irkiss_ghost_get(&rcu, EPOCH) + 1);
    __irkiss_atomic_end();
}

/* Locks in configurations in which they leave no call, by the names of the inline functions around them
 * (include/linux/spinlock.h); what lock debugging and sanitizers call is in declared.toml.
 *
 * A kernel for one processor without lock debugging (a spin lock is an empty struct then) has no spin locks at all: who disables
 * interrupts is alone, who has "locked" is alone but for interrupt handlers. Two locks stand for that: `nothing else runs but
 * interrupts` (LOCKED) and `no interrupts` (QUIET). At -O2 nothing of a plain spin_lock() is left in such a kernel, and a note says so.
 */
#include "irkiss_linux.h"

u64 __irkiss_sizeof__raw_spinlock(void);
u64 __irkiss_offsetof__raw_spinlock__raw_lock(void);

static _Bool one_processor(void)
{
    return __irkiss_offsetof__raw_spinlock__raw_lock() == 0 && __irkiss_sizeof__raw_spinlock() == 0;
}

static const u8 locked, quiet;
#define INTERRUPTS IRKISS_INTERRUPTS

/* Within an atomic section: who does not let others run holds `locked`, as often as he said so. */
static _Bool is_quiet(void)
{
    return __irkiss_ghost_get(&quiet, IRKISS_GHOST_OWNER) == irkiss_me();
}

static void enter(void)
{
    if (__irkiss_ghost_get(&locked, IRKISS_GHOST_OWNER) != irkiss_me())
        irkiss_take(&locked);
    __irkiss_ghost_set(&locked, IRKISS_GHOST_DEPTH, __irkiss_ghost_get(&locked, IRKISS_GHOST_DEPTH) + 1);
}

static void leave(void)
{
    u64 depth = __irkiss_ghost_get(&locked, IRKISS_GHOST_DEPTH);
    if (__irkiss_ghost_get(&locked, IRKISS_GHOST_OWNER) != irkiss_me())
        return;
    __irkiss_ghost_set(&locked, IRKISS_GHOST_DEPTH, depth - 1);
    if (depth == 1)
        irkiss_drop(&locked);
}

/* ---- Interrupts of the only processor. ---- */
void __irkiss_irq_disable(void)
{
    irkiss_quiet(1);
    if (!one_processor())
        return;
    __irkiss_atomic_begin();
    if (!is_quiet()) {
        irkiss_take(&quiet);
        enter();
    }
    __irkiss_atomic_end();
}

void __irkiss_irq_enable(void)
{
    irkiss_quiet(0);
    if (!one_processor())
        return;
    __irkiss_atomic_begin();
    if (is_quiet() && __irkiss_ghost_get(&quiet, IRKISS_GHOST_KIND) == 0) {
        irkiss_drop(&quiet);
        leave();
    }
    __irkiss_atomic_end();
}

unsigned long __irkiss_irq_flags(void)
{
    _Bool off;
    if (!one_processor()) {
        if (__irkiss_property(IRKISS_LOCKS) || __irkiss_grace_periods())
            return irkiss_flags();
        return INTERRUPTS;
    }
    IRKISS_ATOMIC(off = is_quiet());
    return off ? 0 : INTERRUPTS;
}

/* Around an interrupt handler: it interrupts whoever has not disabled interrupts, also one who is locked. */
void __irkiss_interrupted(void)
{
    if (one_processor())
        IRKISS_ATOMIC(irkiss_take(&quiet); __irkiss_ghost_set(&quiet, IRKISS_GHOST_KIND, 1));
}

void __irkiss_resumed(void)
{
    if (one_processor())
        IRKISS_ATOMIC(__irkiss_ghost_set(&quiet, IRKISS_GHOST_KIND, 0); irkiss_drop(&quiet));
}

void irkiss_model__native_irq_disable(void)
{
    __irkiss_irq_disable();
}

void irkiss_model__native_irq_enable(void)
{
    __irkiss_irq_enable();
}

unsigned long irkiss_model__native_save_fl(void)
{
    return __irkiss_irq_flags();
}

unsigned long irkiss_model__arch_local_irq_save(void)
{
    unsigned long flags = __irkiss_irq_flags();
    __irkiss_irq_disable();
    return flags;
}

void irkiss_model__arch_local_irq_restore(unsigned long flags)
{
    if (flags & INTERRUPTS)
        __irkiss_irq_enable();
}

/* ---- Spin locks. In a handler, nobody else can be locked: he waits until the handler has ended. ---- */
static void take(void *lock)
{
    if (!one_processor()) {
        irkiss_spin_lock(lock);
        return;
    }
    __irkiss_atomic_begin();
    if (!is_quiet() || __irkiss_ghost_get(&quiet, IRKISS_GHOST_KIND) == 0)
        enter();
    irkiss_reads_more(1);
    __irkiss_atomic_end();
}

static void give(void *lock)
{
    if (!one_processor()) {
        irkiss_spin_unlock(lock);
        return;
    }
    __irkiss_atomic_begin();
    if (!is_quiet() || __irkiss_ghost_get(&quiet, IRKISS_GHOST_KIND) == 0)
        leave();
    irkiss_reads_less(1);
    __irkiss_atomic_end();
    irkiss_has_read();
}

static int try_take(void *lock)
{
    if (!one_processor())
        return irkiss_spin_trylock(lock);
    take(lock);
    return 1;
}

void irkiss_model__spin_lock(void *lock)
{
    take(lock);
}

void irkiss_model__spin_lock_bh(void *lock)
{
    irkiss_no_softirqs();
    irkiss_reads_from_here(1);
    take(lock);
}

void irkiss_model__spin_lock_irq(void *lock)
{
    __irkiss_irq_disable();
    if (!one_processor())
        irkiss_spin_lock(lock);
}

int irkiss_model__spin_trylock(void *lock)
{
    return try_take(lock);
}

int irkiss_model__spin_trylock_bh(void *lock)
{
    int taken = try_take(lock);
    if (taken) {
        irkiss_no_softirqs();
        irkiss_reads_from_here(1);
    }
    return taken;
}

void irkiss_model__spin_unlock(void *lock)
{
    give(lock);
}

void irkiss_model__spin_unlock_bh(void *lock)
{
    give(lock);
    irkiss_read_until_here(1);
    irkiss_softirqs();
}

void irkiss_model__spin_unlock_irq(void *lock)
{
    if (!one_processor())
        irkiss_spin_unlock(lock);
    __irkiss_irq_enable();
}

void irkiss_model__spin_unlock_irqrestore(void *lock, unsigned long flags)
{
    if (one_processor()) {
        irkiss_model__arch_local_irq_restore(flags);
    } else {
        irkiss_spin_unlock(lock);
        irkiss_restore_flags(flags);
    }
}

/* include/asm-generic/mmiowb.h: each processor counts its own writes to devices, for the order of these. */
void irkiss_model__mmiowb_set_pending(void)
{
}

void irkiss_model__mmiowb_spin_lock(void)
{
}

void irkiss_model__mmiowb_spin_unlock(void)
{
}

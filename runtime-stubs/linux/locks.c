/* Locks of the kernel, known by address. What a lock word holds is never looked at: the owner is ghost state.
 *
 * Interrupts are not modelled as disabled: a handler is a thread like any other, and only a lock that it takes excludes it
 * (which is what holds on a machine of several processors).
 */
#include "irkiss_linux.h"

/* ---- Spin locks. ---- */
void _raw_spin_lock(void *lock)
{
    irkiss_spin_lock(lock);
}

void _raw_spin_lock_irq(void *lock)
{
    irkiss_spin_lock_irq(lock);
}

void _raw_spin_lock_bh(void *lock)
{
    irkiss_no_softirqs();
    irkiss_spin_lock_as(lock, 2);
}

void _raw_spin_unlock(void *lock)
{
    irkiss_spin_unlock(lock);
}

void _raw_spin_unlock_irq(void *lock)
{
    irkiss_spin_unlock_irq(lock);
}

void _raw_spin_unlock_bh(void *lock)
{
    irkiss_spin_unlock_as(lock, 2);
    irkiss_softirqs();
}

unsigned long _raw_spin_lock_irqsave(void *lock)
{
    unsigned long flags = irkiss_flags();
    irkiss_spin_lock_irq(lock);
    return flags;
}

void _raw_spin_unlock_irqrestore(void *lock, unsigned long flags)
{
    irkiss_spin_unlock_irqrestore(lock, flags);
}

void _raw_spin_lock_nested(void *lock, int)
{
    irkiss_spin_lock(lock);
}

void _raw_spin_lock_nest_lock(void *lock, void *)
{
    irkiss_spin_lock(lock);
}

unsigned long _raw_spin_lock_irqsave_nested(void *lock, int)
{
    return _raw_spin_lock_irqsave(lock);
}

int _raw_spin_trylock(void *lock)
{
    return irkiss_spin_trylock(lock);
}

int _raw_spin_trylock_bh(void *lock)
{
    _Bool taken = irkiss_spin_trylock(lock);
    if (taken) {
        irkiss_no_softirqs();
        irkiss_reads_from_here(1);
    }
    return taken;
}

void __raw_spin_lock_init(void *lock, const char *, void *, short)
{
    irkiss_make_free(lock);
}

/* Takes the lock if the count, decremented, is zero (lib/dec_and_lock.c). */
static int dec_and_lock(int *count, void *lock)
{
    int zero;
    __irkiss_atomic_begin();
    zero = --*count == 0;
    if (zero)
        irkiss_take(lock);
    __irkiss_atomic_end();
    if (zero)
        IRKISS_AFTER_LOCK(lock);
    return zero;
}

int _atomic_dec_and_lock(int *count, void *lock)
{
    int zero = dec_and_lock(count, lock);
    if (zero) {
        irkiss_stay_awake();
        irkiss_reads_from_here(1);
    }
    return zero;
}

int _atomic_dec_and_lock_irqsave(int *count, void *lock, unsigned long *flags)
{
    int zero;
    *flags = irkiss_flags();
    zero = _atomic_dec_and_lock(count, lock);
    if (zero)
        irkiss_quiet(1);
    return zero;
}

/* ---- Mutexes. ---- */
void mutex_lock(void *lock)
{
    irkiss_lock(lock);
}

void mutex_lock_nested(void *lock, unsigned int)
{
    irkiss_lock(lock);
}

void _mutex_lock_nest_lock(void *lock, void *)
{
    irkiss_lock(lock);
}

void mutex_lock_io(void *lock)
{
    irkiss_lock(lock);
}

void mutex_lock_io_nested(void *lock, unsigned int)
{
    irkiss_lock(lock);
}

/* A signal may arrive before the lock is free. */
static int lock_or_signal(void *lock)
{
    if (__irkiss_nondet_bool())
        return -EINTR;
    irkiss_lock(lock);
    return 0;
}

int mutex_lock_interruptible(void *lock)
{
    return lock_or_signal(lock);
}

int mutex_lock_killable(void *lock)
{
    return lock_or_signal(lock);
}

int mutex_lock_interruptible_nested(void *lock, unsigned int)
{
    return lock_or_signal(lock);
}

int mutex_lock_killable_nested(void *lock, unsigned int)
{
    return lock_or_signal(lock);
}

int mutex_trylock(void *lock)
{
    return irkiss_trylock(lock);
}

/* kernel/locking/mutex.c: with a waiter, __mutex_unlock_slowpath uses the mutex after it has given it back. "The mutex may not be freed
 * until mutex_unlock() has returned": who has it next must not free it. */
void mutex_unlock(void *lock)
{
    irkiss_unlock(lock);
    if (__irkiss_property(IRKISS_UAF))
        (void)*(const volatile u8 *)lock;
}

/* net/devlink/leftover.c: devl_lock, devl_unlock: the mutex of the instance, of which drivers know no more than its address. */
void devl_lock(void *devlink)
{
    irkiss_lock(devlink);
}

int devl_trylock(void *devlink)
{
    return irkiss_trylock(devlink);
}

void devl_unlock(void *devlink)
{
    irkiss_unlock(devlink);
}

_Bool mutex_is_locked(void *lock)
{
    _Bool held;
    IRKISS_ATOMIC(held = __irkiss_ghost_get(lock, IRKISS_GHOST_OWNER) != 0);
    return held;
}

void __mutex_init(void *lock, const char *, void *)
{
    irkiss_make_free(lock);
}

void mutex_destroy(void *)
{
}

int atomic_dec_and_mutex_lock(int *count, void *lock)
{
    return dec_and_lock(count, lock);
}

_Bool refcount_dec_and_mutex_lock(int *count, void *lock)
{
    return dec_and_lock(count, lock);
}

_Bool refcount_dec_and_lock(int *count, void *lock)
{
    return _atomic_dec_and_lock(count, lock);
}

_Bool refcount_dec_and_lock_irqsave(int *count, void *lock, unsigned long *flags)
{
    return _atomic_dec_and_lock_irqsave(count, lock, flags);
}

void rt_mutex_lock(void *lock)
{
    irkiss_lock(lock);
}

void rt_mutex_lock_nested(void *lock, unsigned int)
{
    irkiss_lock(lock);
}

void _rt_mutex_lock_nest_lock(void *lock, void *)
{
    irkiss_lock(lock);
}

int rt_mutex_lock_interruptible(void *lock)
{
    return lock_or_signal(lock);
}

int rt_mutex_lock_killable(void *lock)
{
    return lock_or_signal(lock);
}

void __rt_mutex_init(void *lock, const char *, void *)
{
    irkiss_make_free(lock);
}

void rt_mutex_unlock(void *lock)
{
    irkiss_unlock(lock);
}

int rt_mutex_trylock(void *lock)
{
    return irkiss_trylock(lock);
}

/* ---- Semaphores (struct semaphore: a raw spin lock, the count, a list). The count lies where the layout of the spin lock
 * puts it, so the permits are ghost state: LIMIT - 1 is what sema_init gave (0: not called; then 1, which is what
 * DEFINE_SEMAPHORE gives), SIGNALS the ups minus the downs. IRKISS_GHOST_HOLDER is who took a permit last, for reports.
 * Where the compiler has dissolved sema_init (-O2), 1 is assumed. ---- */
void irkiss_model__sema_init(void *semaphore, int permits)
{
    IRKISS_ATOMIC(__irkiss_ghost_set(semaphore, IRKISS_GHOST_LIMIT, (u64)permits + 1);
                  __irkiss_ghost_set(semaphore, IRKISS_GHOST_SIGNALS, 0));
}

/* Within an atomic section. */
static _Bool has_permit(const void *semaphore)
{
    u64 limit = __irkiss_ghost_get(semaphore, IRKISS_GHOST_LIMIT);
    s64 permits = (limit ? (s64)limit - 1 : 1) + (s64)__irkiss_ghost_get(semaphore, IRKISS_GHOST_SIGNALS);
    return permits > 0;
}

static void take_permit(const void *semaphore)
{
    __irkiss_ghost_set(semaphore, IRKISS_GHOST_SIGNALS, __irkiss_ghost_get(semaphore, IRKISS_GHOST_SIGNALS) - 1);
    __irkiss_ghost_set(semaphore, IRKISS_GHOST_HOLDER, irkiss_me());
}

void down(void *semaphore)
{
    IRKISS_ATOMIC(__irkiss_assume(has_permit(semaphore)); take_permit(semaphore));
}

/* A signal may arrive, the time may be over before there is a permit. */
static int down_or(void *semaphore, int error)
{
    if (__irkiss_nondet_bool())
        return -error;
    down(semaphore);
    return 0;
}

int down_interruptible(void *semaphore)
{
    return down_or(semaphore, EINTR);
}

int down_killable(void *semaphore)
{
    return down_or(semaphore, EINTR);
}

int down_timeout(void *semaphore, long)
{
    return down_or(semaphore, 62); /* ETIME */
}

/* 0 if it was taken. */
int down_trylock(void *semaphore)
{
    _Bool taken;
    __irkiss_atomic_begin();
    taken = has_permit(semaphore);
    if (taken)
        take_permit(semaphore);
    __irkiss_atomic_end();
    return !taken;
}

void up(void *semaphore)
{
    IRKISS_ATOMIC(__irkiss_ghost_set(semaphore, IRKISS_GHOST_SIGNALS, __irkiss_ghost_get(semaphore, IRKISS_GHOST_SIGNALS) + 1);
                  __irkiss_ghost_set(semaphore, IRKISS_GHOST_HOLDER, 0));
}

/* Mutexes of which a task takes many in any order (kernel/locking/ww_mutex.h: __ww_mutex_check_kill): with a context, the task may be
 * told to give back what it has. */
int ww_mutex_lock(void *lock, void *context)
{
    if (context && __irkiss_nondet_bool())
        return -EDEADLK;
    irkiss_lock(lock);
    return 0;
}

int ww_mutex_lock_interruptible(void *lock, void *context)
{
    if (context && __irkiss_nondet_bool())
        return -EDEADLK;
    return lock_or_signal(lock);
}

int ww_mutex_trylock(void *lock, void *)
{
    return irkiss_trylock(lock);
}

void ww_mutex_unlock(void *lock)
{
    irkiss_unlock(lock);
}

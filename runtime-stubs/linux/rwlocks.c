/* Reader-writer locks: any number of readers, or one writer. That readers queue behind a writer that waits is followed where deadlocks are
 * looked for (kernel/locking/qrwlock.c: queued_read_lock_slowpath, kernel/locking/rwsem.c: RWSEM_FLAG_HANDOFF,
 * kernel/locking/percpu-rwsem.c: percpu_down_write); otherwise it would only take interleavings away that some lock may have. */
#include "irkiss_linux.h"

/* Within an atomic section. */
static void take_read(const void *lock)
{
    u32 mine = IRKISS_GHOST_READER + (u32)(__irkiss_self() & 63);
    __irkiss_assume(__irkiss_ghost_get(lock, IRKISS_GHOST_OWNER) == 0);
    __irkiss_ghost_set(lock, IRKISS_GHOST_READERS, __irkiss_ghost_get(lock, IRKISS_GHOST_READERS) + 1);
    __irkiss_ghost_set(lock, mine, __irkiss_ghost_get(lock, mine) + 1);
    if (__irkiss_property(IRKISS_DEADLOCK))
        __irkiss_ghost_set(lock, IRKISS_GHOST_READ_BY, irkiss_me());
}

/* Within an atomic section. */
static void drop_read(const void *lock)
{
    u32 mine = IRKISS_GHOST_READER + (u32)(__irkiss_self() & 63);
    __irkiss_ghost_set(lock, IRKISS_GHOST_READERS, __irkiss_ghost_get(lock, IRKISS_GHOST_READERS) - 1);
    __irkiss_ghost_set(lock, mine, __irkiss_ghost_get(lock, mine) - 1);
    if (__irkiss_property(IRKISS_DEADLOCK)) {
        if (__irkiss_ghost_get(lock, IRKISS_GHOST_READ_BY) == irkiss_me() && !irkiss_reads(lock, __irkiss_self()))
            __irkiss_ghost_set(lock, IRKISS_GHOST_READ_BY, 0);
    }
}

/* Who writes must not read. Who reads may do so again, unless a writer has come to wait meanwhile; within handlers, and where bottom halves are disabled
 * (in_interrupt), readers pass those who only wait. */
static void read_lock_as(const void *lock, _Bool spins)
{
    irkiss_looks_at(lock);
    if (__irkiss_property(IRKISS_LOCKS))
        irkiss_not_of_who_waits(lock);
    if (__irkiss_property(IRKISS_LOCK_MISUSE))
        irkiss_check_acquire(lock, 0);
    if (__irkiss_property(IRKISS_DEADLOCK)) {
        _Bool passes = spins && (irkiss_state(IRKISS_GHOST_LEVEL) != 0 || irkiss_state(IRKISS_GHOST_BH) != 0);
        irkiss_may_wait(lock, passes ? IRKISS_AWAITS_OWNER : IRKISS_AWAITS_WRITERS, spins);
    }
    IRKISS_ATOMIC(take_read(lock));
    IRKISS_AFTER_LOCK(lock);
}

/* As irkiss_check_release. */
static _Bool check_read_release(const void *lock)
{
    _Bool own = irkiss_reads(lock, __irkiss_self());
    __irkiss_check(IRKISS_RELEASE_NOT_HELD, own || irkiss_state(IRKISS_GHOST_CONTRACT) != 0, lock);
    if (own)
        irkiss_count(IRKISS_GHOST_HELD, ~0ull);
    return own;
}

static void read_unlock(const void *lock)
{
    irkiss_must_be_there(lock);
    __irkiss_atomic_begin();
    if (__irkiss_property(IRKISS_LOCK_MISUSE)) {
        if (check_read_release(lock))
            drop_read(lock);
    } else {
        drop_read(lock);
    }
    __irkiss_atomic_end();
}

static _Bool read_trylock(const void *lock)
{
    _Bool free;
    __irkiss_atomic_begin();
    free = __irkiss_ghost_get(lock, IRKISS_GHOST_OWNER) == 0;
    if (free)
        take_read(lock);
    __irkiss_atomic_end();
    if (free)
        IRKISS_AFTER_LOCK(lock);
    return free;
}

static void write_lock_as(const void *lock, _Bool spins)
{
    IRKISS_BEFORE_LOCK(lock, 1, spins);
    IRKISS_ATOMIC(__irkiss_assume(__irkiss_ghost_get(lock, IRKISS_GHOST_READERS) == 0); irkiss_take(lock));
    IRKISS_AFTER_LOCK(lock);
}

static void write_unlock(const void *lock)
{
    irkiss_must_be_there(lock);
    irkiss_unlock(lock);
}

static _Bool write_trylock(const void *lock)
{
    _Bool free;
    __irkiss_atomic_begin();
    free = __irkiss_ghost_get(lock, IRKISS_GHOST_READERS) == 0 && irkiss_try_take(lock);
    __irkiss_atomic_end();
    if (free)
        IRKISS_AFTER_LOCK(lock);
    return free;
}

/* Of a semaphore: who waits sleeps. */
#define read_lock(lock) read_lock_as(lock, 0)
#define write_lock(lock) write_lock_as(lock, 0)

/* ---- rwlock_t. ---- */
#define LOCK_FORMS(prefix, take, drop, try) \
    void _raw_##prefix##_lock(void *lock) \
    { \
        take(lock, 1); \
        irkiss_stay_awake(); \
        irkiss_reads_from_here(1); \
    } \
    void _raw_##prefix##_lock_irq(void *lock) \
    { \
        irkiss_quiet(1); \
        take(lock, 1); \
        irkiss_stay_awake(); \
        irkiss_reads_from_here(1); \
    } \
    void _raw_##prefix##_lock_bh(void *lock) \
    { \
        irkiss_no_softirqs(); \
        take(lock, 1); \
        irkiss_stay_awake(); \
        irkiss_reads_from_here(2); \
    } \
    unsigned long _raw_##prefix##_lock_irqsave(void *lock) \
    { \
        unsigned long flags = irkiss_flags(); \
        irkiss_quiet(1); \
        take(lock, 1); \
        irkiss_stay_awake(); \
        irkiss_reads_from_here(1); \
        return flags; \
    } \
    void _raw_##prefix##_unlock(void *lock) \
    { \
        drop(lock); \
        irkiss_may_sleep(); \
        irkiss_read_until_here(1); \
    } \
    void _raw_##prefix##_unlock_irq(void *lock) \
    { \
        drop(lock); \
        irkiss_may_sleep(); \
        irkiss_read_until_here(1); \
        irkiss_quiet(0); \
    } \
    void _raw_##prefix##_unlock_bh(void *lock) \
    { \
        drop(lock); \
        irkiss_may_sleep(); \
        irkiss_softirqs(); \
        irkiss_read_until_here(2); \
    } \
    void _raw_##prefix##_unlock_irqrestore(void *lock, unsigned long flags) \
    { \
        drop(lock); \
        irkiss_may_sleep(); \
        irkiss_read_until_here(1); \
        irkiss_restore_flags(flags); \
    } \
    int _raw_##prefix##_trylock(void *lock) \
    { \
        _Bool taken = try(lock); \
        if (taken) { \
            irkiss_stay_awake(); \
            irkiss_reads_from_here(1); \
        } \
        return taken; \
    }
LOCK_FORMS(read, read_lock_as, read_unlock, read_trylock)
LOCK_FORMS(write, write_lock_as, write_unlock, write_trylock)

void __rwlock_init(void *lock, const char *, void *)
{
    irkiss_make_free(lock);
}

/* ---- struct rw_semaphore. ---- */
void __init_rwsem(void *lock, const char *, void *)
{
    irkiss_make_free(lock);
}

void down_read(void *lock)
{
    read_lock(lock);
}

void down_read_nested(void *lock, int)
{
    read_lock(lock);
}

int down_read_interruptible(void *lock)
{
    if (__irkiss_nondet_bool())
        return -EINTR;
    read_lock(lock);
    return 0;
}

int down_read_killable(void *lock)
{
    return down_read_interruptible(lock);
}

int down_read_trylock(void *lock)
{
    return read_trylock(lock);
}

void up_read(void *lock)
{
    read_unlock(lock);
}

void down_write(void *lock)
{
    write_lock(lock);
}

void down_write_nested(void *lock, int)
{
    write_lock(lock);
}

int down_write_killable(void *lock)
{
    if (__irkiss_nondet_bool())
        return -EINTR;
    write_lock(lock);
    return 0;
}

int down_write_trylock(void *lock)
{
    return write_trylock(lock);
}

void up_write(void *lock)
{
    write_unlock(lock);
}

/* A writer becomes a reader without letting go. */
void downgrade_write(void *lock)
{
    IRKISS_ATOMIC(irkiss_drop(lock); take_read(lock));
}

/* ---- struct percpu_rw_semaphore (include/linux/percpu-rwsem.h): what readers do is inline. ---- */
int __percpu_init_rwsem(void *lock, const char *, void *)
{
    if (__irkiss_nondet_bool())
        return -ENOMEM;
    irkiss_make_free(lock);
    return 0;
}

void irkiss_model__percpu_down_read(void *lock)
{
    read_lock(lock);
}

_Bool irkiss_model__percpu_down_read_trylock(void *lock)
{
    return read_trylock(lock);
}

void irkiss_model__percpu_up_read(void *lock)
{
    read_unlock(lock);
}

void percpu_down_write(void *lock)
{
    write_lock(lock);
}

void percpu_up_write(void *lock)
{
    write_unlock(lock);
}

/* ---- The lock of CPU hotplug (kernel/cpu.c). ---- */
static char cpu_hotplug_lock;

void cpus_read_lock(void)
{
    read_lock(&cpu_hotplug_lock);
}

int cpus_read_trylock(void)
{
    return read_trylock(&cpu_hotplug_lock);
}

void cpus_read_unlock(void)
{
    read_unlock(&cpu_hotplug_lock);
}

void cpus_write_lock(void)
{
    write_lock(&cpu_hotplug_lock);
}

void cpus_write_unlock(void)
{
    irkiss_unlock(&cpu_hotplug_lock);
}

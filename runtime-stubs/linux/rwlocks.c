/* Reader-writer locks: any number of readers, or one writer. Fairness and writer preference are not modelled: they only
 * take away interleavings that some lock implementation may have. */
#include "irkiss_linux.h"

/* Within an atomic section. */
static void take_read(const void *lock)
{
    u32 mine = IRKISS_GHOST_READER + (u32)(__irkiss_self() & 63);
    __irkiss_assume(__irkiss_ghost_get(lock, IRKISS_GHOST_OWNER) == 0);
    __irkiss_ghost_set(lock, IRKISS_GHOST_READERS, __irkiss_ghost_get(lock, IRKISS_GHOST_READERS) + 1);
    __irkiss_ghost_set(lock, mine, __irkiss_ghost_get(lock, mine) + 1);
}

/* Within an atomic section. */
static void drop_read(const void *lock)
{
    u32 mine = IRKISS_GHOST_READER + (u32)(__irkiss_self() & 63);
    __irkiss_ghost_set(lock, IRKISS_GHOST_READERS, __irkiss_ghost_get(lock, IRKISS_GHOST_READERS) - 1);
    __irkiss_ghost_set(lock, mine, __irkiss_ghost_get(lock, mine) - 1);
}

static void read_lock(const void *lock)
{
    IRKISS_ATOMIC(take_read(lock));
}

static void read_unlock(const void *lock)
{
    IRKISS_ATOMIC(drop_read(lock));
}

static _Bool read_trylock(const void *lock)
{
    _Bool free;
    __irkiss_atomic_begin();
    free = __irkiss_ghost_get(lock, IRKISS_GHOST_OWNER) == 0;
    if (free)
        take_read(lock);
    __irkiss_atomic_end();
    return free;
}

static void write_lock(const void *lock)
{
    IRKISS_ATOMIC(__irkiss_assume(__irkiss_ghost_get(lock, IRKISS_GHOST_READERS) == 0); irkiss_take(lock));
}

static _Bool write_trylock(const void *lock)
{
    _Bool free;
    __irkiss_atomic_begin();
    free = __irkiss_ghost_get(lock, IRKISS_GHOST_READERS) == 0 && irkiss_try_take(lock);
    __irkiss_atomic_end();
    return free;
}

/* ---- rwlock_t. ---- */
#define LOCK_FORMS(prefix, take, drop, try) \
    void _raw_##prefix##_lock(void *lock) \
    { \
        take(lock); \
    } \
    void _raw_##prefix##_lock_irq(void *lock) \
    { \
        take(lock); \
    } \
    void _raw_##prefix##_lock_bh(void *lock) \
    { \
        take(lock); \
    } \
    unsigned long _raw_##prefix##_lock_irqsave(void *lock) \
    { \
        take(lock); \
        return 0; \
    } \
    void _raw_##prefix##_unlock(void *lock) \
    { \
        drop(lock); \
    } \
    void _raw_##prefix##_unlock_irq(void *lock) \
    { \
        drop(lock); \
    } \
    void _raw_##prefix##_unlock_bh(void *lock) \
    { \
        drop(lock); \
    } \
    void _raw_##prefix##_unlock_irqrestore(void *lock, unsigned long) \
    { \
        drop(lock); \
    } \
    int _raw_##prefix##_trylock(void *lock) \
    { \
        return try(lock); \
    }
LOCK_FORMS(read, read_lock, read_unlock, read_trylock)
LOCK_FORMS(write, write_lock, irkiss_unlock, write_trylock)

void __rwlock_init(void *lock, const char *, void *)
{
    irkiss_unlock(lock);
}

/* ---- struct rw_semaphore. ---- */
void __init_rwsem(void *lock, const char *, void *)
{
    irkiss_unlock(lock);
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
    irkiss_unlock(lock);
}

/* A writer becomes a reader without letting go. */
void downgrade_write(void *lock)
{
    IRKISS_ATOMIC(irkiss_drop(lock); take_read(lock));
}

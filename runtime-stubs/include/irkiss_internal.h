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
void __irkiss_atomic_begin(void);
void __irkiss_atomic_end(void);
u64 __irkiss_async(void (*start)(void *), void *arg);
u64 __irkiss_self(void);
u64 __irkiss_ghost_get(const void *address, u32 key);
void __irkiss_ghost_set(const void *address, u32 key, u64 value);
void *__irkiss_alloc(u64 size, _Bool zero);
void __irkiss_free(void *object);
void *__irkiss_lazy(u64 size, const char *name);
void __irkiss_havoc(void *address, u64 size);
void __irkiss_touch(const void *address, u64 size);
__attribute__((noreturn)) void __irkiss_stop(void);
__attribute__((noreturn)) void __irkiss_unsupported(const char *what);
/* A bound of the model, which is no bound of what locks prove: what follows is what really happens. */
void __irkiss_exceeded(const char *what);
__attribute__((noreturn)) void __irkiss_bug(const char *what);
u32 __irkiss_pair(u32 n);
/* Only in the sequential program. */
u32 __irkiss_choice(u32 site, u32 alternatives);
_Bool __irkiss_site_enabled(u32 site);
_Bool __irkiss_check_enabled(u32 site);
u32 __irkiss_ts_max(void);
_Bool __irkiss_plain_raise(void);
void __irkiss_snapshot(void);
void __irkiss_rollback(void);
__attribute__((noreturn)) void __irkiss_fail(u32 kind, u32 first_site, u32 second_site);
_Bool __irkiss_same_location(const void *a, u64 a_bytes, const void *b, u64 b_bytes);

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
    /* IRKISS_GHOST_READER + (thread number mod 64): read holds of that thread, counted together with READERS. Who has some
     * holds the lock (src/analysis/lockset/ relies on it where `%` is used and more threads are unsupported). */
    IRKISS_GHOST_READER = 64,
    /* Free for each API's own use: IRKISS_GHOST_PTHREAD + 0..255, IRKISS_GHOST_LINUX + 0..255. */
    IRKISS_GHOST_PTHREAD = 256,
    IRKISS_GHOST_LINUX = 512,
};

/* ---- Idioms. ---- */
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

/* Takes an exclusive lock that does not nest; waits while anybody, the caller included, holds it. Within an atomic section. */
static inline void irkiss_take(const void *lock)
{
    __irkiss_assume(__irkiss_ghost_get(lock, IRKISS_GHOST_OWNER) == 0);
    __irkiss_ghost_set(lock, IRKISS_GHOST_OWNER, irkiss_me());
}

/* Takes it if it is free; whether it was. Within an atomic section. */
static inline _Bool irkiss_try_take(const void *lock)
{
    if (__irkiss_ghost_get(lock, IRKISS_GHOST_OWNER) != 0)
        return 0;
    __irkiss_ghost_set(lock, IRKISS_GHOST_OWNER, irkiss_me());
    return 1;
}

/* Gives an exclusive lock back, whoever holds it. Within an atomic section. */
static inline void irkiss_drop(const void *lock)
{
    __irkiss_ghost_set(lock, IRKISS_GHOST_OWNER, 0);
}

/* As irkiss_take, irkiss_try_take, irkiss_drop, each a step of its own. */
static inline void irkiss_lock(const void *lock)
{
    IRKISS_ATOMIC(irkiss_take(lock));
}

static inline _Bool irkiss_trylock(const void *lock)
{
    _Bool taken = 0;
    IRKISS_ATOMIC(taken = irkiss_try_take(lock));
    return taken;
}

static inline void irkiss_unlock(const void *lock)
{
    IRKISS_ATOMIC(irkiss_drop(lock));
}

#endif

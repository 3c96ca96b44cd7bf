/* pthread mutexes of all types, and spinlocks.
 *
 * IRKISS_GHOST_OWNER and IRKISS_GHOST_DEPTH at the mutex's address are the state. A mutex that waits for itself (normal
 * type, locked twice) blocks for ever. A robust mutex whose owner has ended is taken over (irkiss_take_over: nothing in programs without
 * such mutexes). */
#include "irkiss_pthread.h"

const u8 __irkiss_thread_state = 0;

/* glibc's numbers of the types. */
enum { NORMAL = 0, RECURSIVE = 1, ERRORCHECK = 2 };
enum { INITIALISED = 1, DESTROYED = 2 };

/* The type: as pthread_mutex_init set it, or as a static initialiser left it in glibc's `__kind`. Within a section. */
static u64 kind_of(const void *mutex)
{
    if (__irkiss_ghost_get(mutex, IRKISS_GHOST_LIFE) != 0)
        return __irkiss_ghost_get(mutex, IRKISS_GHOST_KIND);
    return *(const u32 *)((const u8 *)mutex + (sizeof(void *) == 8 ? 16 : 12));
}

/* Whether a mutex is robust, or the attributes that it is initialised with; 2: its owner has ended, and nobody has said that what it
 * guards is consistent; 3: for ever. */
enum { ROBUST_KEY = IRKISS_GHOST_PTHREAD + 4, ROBUST = 1, INCONSISTENT = 2, LOST = 3 };

/* Within a section. */
_Bool irkiss_is_robust(const void *mutex) { return __irkiss_ghost_get(mutex, ROBUST_KEY) != 0; }

/* Within a section: what pthread_mutex_lock answers if the owner has ended, or the mutex was given up; otherwise 0. */
int irkiss_take_over(const void *mutex, u64 owner)
{
    u64 robust = __irkiss_ghost_get(mutex, ROBUST_KEY);
    if (robust == LOST)
        return IRKISS_ENOTRECOVERABLE;
    if (robust == 0 || owner == 0 || !irkiss_has_ended(owner - 1))
        return 0;
    __irkiss_ghost_set(mutex, ROBUST_KEY, INCONSISTENT);
    return IRKISS_EOWNERDEAD;
}

/* To try a mutex whose owner has ended, or that was given up, is not modelled. */
void irkiss_tried_in_vain(const void *mutex)
{
    __irkiss_atomic_begin();
    u64 robust = __irkiss_ghost_get(mutex, ROBUST_KEY);
    u64 owner = __irkiss_ghost_get(mutex, IRKISS_GHOST_OWNER);
    _Bool orphan = robust == LOST || (robust != 0 && owner != 0 && irkiss_has_ended(owner - 1));
    __irkiss_atomic_end();
    if (orphan)
        __irkiss_unsupported("trying to lock a robust mutex whose owner has ended");
}

/* Within the section that unlocks it. */
void irkiss_give_up(const void *mutex)
{
    if (__irkiss_ghost_get(mutex, ROBUST_KEY) == INCONSISTENT)
        __irkiss_ghost_set(mutex, ROBUST_KEY, LOST);
}

int pthread_mutex_consistent(void *mutex)
{
    int error = IRKISS_EINVAL;
    __irkiss_atomic_begin();
    if (__irkiss_ghost_get(mutex, ROBUST_KEY) == INCONSISTENT) {
        __irkiss_ghost_set(mutex, ROBUST_KEY, ROBUST);
        error = 0;
    }
    __irkiss_atomic_end();
    return error;
}

static void own(const void *mutex, u64 depth)
{
    IRKISS_CHANGES(mutex, __irkiss_ghost_set(mutex, IRKISS_GHOST_OWNER, irkiss_me()));
    __irkiss_ghost_set(mutex, IRKISS_GHOST_DEPTH, depth);
}

static void disown(const void *mutex)
{
    IRKISS_CHANGES(mutex, __irkiss_ghost_set(mutex, IRKISS_GHOST_OWNER, 0));
    __irkiss_ghost_set(mutex, IRKISS_GHOST_DEPTH, 0);
}

static void nest(const void *mutex)
{
    __irkiss_ghost_set(mutex, IRKISS_GHOST_DEPTH, __irkiss_ghost_get(mutex, IRKISS_GHOST_DEPTH) + 1);
}

IRKISS_ASSUMES("settings-accepted")
int pthread_mutex_init(void *mutex, const void *attributes)
{
    __irkiss_atomic_begin();
    __irkiss_ghost_set(mutex, IRKISS_GHOST_KIND,
                       attributes ? __irkiss_ghost_get(attributes, IRKISS_GHOST_KIND) : NORMAL);
    __irkiss_ghost_set(mutex, IRKISS_GHOST_LIFE, INITIALISED);
    __irkiss_ghost_set(mutex, ROBUST_KEY, attributes ? __irkiss_ghost_get(attributes, ROBUST_KEY) : 0);
    disown(mutex);
    __irkiss_atomic_end();
    return 0;
}

IRKISS_ASSUMES("settings-accepted")
int pthread_mutex_destroy(void *mutex)
{
    int error = 0;
    __irkiss_atomic_begin();
    if (__irkiss_ghost_get(mutex, IRKISS_GHOST_OWNER) != 0)
        error = IRKISS_EBUSY;
    else
        __irkiss_ghost_set(mutex, IRKISS_GHOST_LIFE, DESTROYED);
    __irkiss_atomic_end();
    return error;
}

/* --property lock-misuse, deadlock: mutexes of the types that know who holds them need no check. */
static _Bool is_plain(const void *mutex)
{
    u64 kind;
    IRKISS_ATOMIC(kind = kind_of(mutex));
    return kind != RECURSIVE && kind != ERRORCHECK;
}

static void before_lock(const void *mutex)
{
    if (is_plain(mutex) || __irkiss_ghost_get(mutex, IRKISS_GHOST_OWNER) != irkiss_me())
        IRKISS_BEFORE_LOCK(mutex, 0, 0);
}

IRKISS_ASSUMES("locking-succeeds")
int pthread_mutex_lock(void *mutex)
{
    int error = 0;
    if (__irkiss_property(IRKISS_LOCKS))
        before_lock(mutex);
    __irkiss_atomic_begin();
    u64 owner = __irkiss_ghost_get(mutex, IRKISS_GHOST_OWNER);
    if (owner == irkiss_me()) {
        u64 kind = kind_of(mutex);
        __irkiss_assume(kind == RECURSIVE || kind == ERRORCHECK);
        if (kind == RECURSIVE)
            nest(mutex);
        else
            error = IRKISS_EDEADLK;
    } else {
        int robust = irkiss_take_over(mutex, owner);
        if (robust == 0) {
            __irkiss_assume(owner == 0);
            own(mutex, 1);
            IRKISS_AFTER_LOCK(mutex);
        } else {
            error = robust;
            if (robust == IRKISS_EOWNERDEAD) {
                own(mutex, 1);
                IRKISS_AFTER_LOCK(mutex);
            }
        }
    }
    __irkiss_atomic_end();
    return error;
}

/* Takes it if that needs no waiting. Whether it is taken: constants, so that locksets can follow them. */
static _Bool try_lock(void *mutex)
{
    _Bool taken = 0;
    __irkiss_atomic_begin();
    u64 owner = __irkiss_ghost_get(mutex, IRKISS_GHOST_OWNER);
    if (owner == 0) {
        own(mutex, 1);
        IRKISS_AFTER_LOCK(mutex);
        taken = 1;
    } else if (owner == irkiss_me() && kind_of(mutex) == RECURSIVE) {
        nest(mutex);
        taken = 1;
    }
    __irkiss_atomic_end();
    return taken;
}

int pthread_mutex_trylock(void *mutex)
{
    if (try_lock(mutex))
        return 0;
    irkiss_tried_in_vain(mutex);
    return IRKISS_EBUSY;
}

/* Time is arbitrary: the deadline may pass whenever the mutex is taken, and to wait longer is to be scheduled later. */
int pthread_mutex_timedlock(void *mutex, const void *deadline)
{
    if (try_lock(mutex))
        return 0;
    irkiss_given(deadline, IRKISS_TIME_BYTES);
    irkiss_tried_in_vain(mutex);
    return IRKISS_ETIMEDOUT;
}

int pthread_mutex_clocklock(void *mutex, int clock, const void *deadline)
{
    (void)clock, (void)deadline;
    if (try_lock(mutex))
        return 0;
    irkiss_tried_in_vain(mutex);
    return IRKISS_ETIMEDOUT;
}

int pthread_mutex_unlock(void *mutex)
{
    int error = 0;
    irkiss_must_be_there(mutex);
    __irkiss_atomic_begin();
    if (__irkiss_ghost_get(mutex, IRKISS_GHOST_OWNER) == irkiss_me()) {
        u64 depth = __irkiss_ghost_get(mutex, IRKISS_GHOST_DEPTH);
        if (depth > 1)
            __irkiss_ghost_set(mutex, IRKISS_GHOST_DEPTH, depth - 1);
        else {
            irkiss_give_up(mutex);
            disown(mutex);
            IRKISS_AFTER_UNLOCK();
        }
    } else {
        /* By someone else: an error where the type checks it; glibc's normal mutex is simply free afterwards. */
        u64 kind = kind_of(mutex);
        if (kind == RECURSIVE || kind == ERRORCHECK)
            error = IRKISS_EPERM;
        else if (__irkiss_property(IRKISS_LOCK_MISUSE))
            __irkiss_check(IRKISS_RELEASE_NOT_HELD, 0, mutex);
        else
            disown(mutex);
    }
    __irkiss_atomic_end();
    return error;
}

u64 irkiss_mutex_release(void *mutex)
{
    u64 depth;
    __irkiss_atomic_begin();
    depth = __irkiss_ghost_get(mutex, IRKISS_GHOST_DEPTH);
    /* Who waits without it gives back what another one may hold. */
    if (__irkiss_property(IRKISS_LOCK_MISUSE) && __irkiss_ghost_get(mutex, IRKISS_GHOST_OWNER) != irkiss_me())
        /* It holds it when it has waited. */
        __irkiss_check(IRKISS_RELEASE_NOT_HELD, 0, mutex), irkiss_count(IRKISS_GHOST_HELD, 1);
    else if (depth > 1)
        __irkiss_ghost_set(mutex, IRKISS_GHOST_DEPTH, depth - 1);
    else
        disown(mutex);
    __irkiss_atomic_end();
    return depth != 0 ? depth : 1;
}

void irkiss_mutex_retake(void *mutex, u64 depth)
{
    if (__irkiss_property(IRKISS_DEADLOCK)) {
        if (depth <= 1)
            irkiss_may_wait(mutex, IRKISS_AWAITS_OWNER, 0);
    }
    __irkiss_atomic_begin();
    __irkiss_assume(depth > 1 || __irkiss_ghost_get(mutex, IRKISS_GHOST_OWNER) == 0);
    own(mutex, depth);
    __irkiss_atomic_end();
}

/* ---- Attributes: only the type matters. ---- */
IRKISS_ASSUMES("settings-accepted")
int pthread_mutexattr_init(void *attributes)
{
    __irkiss_ghost_set(attributes, IRKISS_GHOST_KIND, NORMAL);
    return 0;
}

IRKISS_ASSUMES("settings-accepted")
int pthread_mutexattr_settype(void *attributes, int type)
{
    __irkiss_ghost_set(attributes, IRKISS_GHOST_KIND, (u32)type);
    return 0;
}

IRKISS_ASSUMES("settings-accepted")
int pthread_mutexattr_gettype(const void *attributes, int *type)
{
    *type = (int)__irkiss_ghost_get(attributes, IRKISS_GHOST_KIND);
    return 0;
}

IRKISS_ASSUMES("settings-accepted")
int pthread_mutexattr_setrobust(void *attributes, int robustness)
{
    __irkiss_ghost_set(attributes, ROBUST_KEY, robustness != 0);
    return 0;
}

IRKISS_ASSUMES("settings-accepted")
int pthread_mutexattr_destroy(void *attributes) { (void)attributes; return 0; }
IRKISS_ASSUMES("settings-accepted")
int pthread_mutexattr_setpshared(void *attributes, int shared) { (void)attributes, (void)shared; return 0; }
IRKISS_ASSUMES("settings-accepted")
int pthread_mutexattr_setprotocol(void *attributes, int protocol) { (void)attributes, (void)protocol; return 0; }
IRKISS_ASSUMES("settings-accepted")
int pthread_mutexattr_setprioceiling(void *attributes, int ceiling) { (void)attributes, (void)ceiling; return 0; }

/* ---- Spinlocks: no types, no errors. ---- */
IRKISS_ASSUMES("settings-accepted")
int pthread_spin_init(void *lock, int shared)
{
    (void)shared;
    IRKISS_ATOMIC(__irkiss_ghost_set(lock, IRKISS_GHOST_LIFE, INITIALISED); irkiss_drop(lock));
    return 0;
}

IRKISS_ASSUMES("settings-accepted")
int pthread_spin_destroy(void *lock)
{
    (void)lock;
    return 0;
}

int pthread_spin_lock(void *lock)
{
    irkiss_lock(lock);
    return 0;
}

int pthread_spin_trylock(void *lock)
{
    return irkiss_trylock(lock) ? 0 : IRKISS_EBUSY;
}

int pthread_spin_unlock(void *lock)
{
    irkiss_must_be_there(lock);
    irkiss_unlock(lock);
    return 0;
}

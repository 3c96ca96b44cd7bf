/* pthread reader-writer locks. Neither readers nor writers are preferred: whoever can enter may.
 *
 * IRKISS_GHOST_OWNER is the writer, IRKISS_GHOST_READERS the read holds of all threads, IRKISS_GHOST_READER + n those of
 * thread n. */
#include "irkiss_pthread.h"

static u32 mine(void)
{
    return IRKISS_GHOST_READER + (u32)(__irkiss_self() % IRKISS_MAX_THREADS);
}

/* A read hold of the caller more. Within a section. */
static void enter_reader(const void *lock)
{
    u32 key = mine();
    IRKISS_CHANGES(lock, __irkiss_ghost_set(lock, IRKISS_GHOST_READERS, __irkiss_ghost_get(lock, IRKISS_GHOST_READERS) + 1));
    __irkiss_ghost_set(lock, key, __irkiss_ghost_get(lock, key) + 1);
    if (__irkiss_property(IRKISS_DEADLOCK))
        __irkiss_ghost_set(lock, IRKISS_GHOST_READ_BY, irkiss_me());
}

/* One less. Within a section. */
static void leave_reader(const void *lock)
{
    u32 key = mine();
    IRKISS_CHANGES(lock, __irkiss_ghost_set(lock, IRKISS_GHOST_READERS, __irkiss_ghost_get(lock, IRKISS_GHOST_READERS) - 1));
    __irkiss_ghost_set(lock, key, __irkiss_ghost_get(lock, key) - 1);
    if (__irkiss_property(IRKISS_DEADLOCK)) {
        if (__irkiss_ghost_get(lock, IRKISS_GHOST_READ_BY) == irkiss_me() && __irkiss_ghost_get(lock, key) == 0)
            __irkiss_ghost_set(lock, IRKISS_GHOST_READ_BY, 0);
    }
}

IRKISS_ASSUMES("settings-accepted")
int pthread_rwlock_init(void *lock, const void *attributes)
{
    (void)attributes;
    __irkiss_atomic_begin();
    __irkiss_ghost_set(lock, IRKISS_GHOST_LIFE, 1);
    __irkiss_ghost_set(lock, IRKISS_GHOST_READERS, 0);
    __irkiss_ghost_set(lock, IRKISS_GHOST_OWNER, 0);
    __irkiss_atomic_end();
    return 0;
}

IRKISS_ASSUMES("settings-accepted")
int pthread_rwlock_destroy(void *lock)
{
    (void)lock;
    return 0;
}

/* --property lock-misuse, deadlock: who writes is told. */
static void before_lock(const void *lock, _Bool all)
{
    if (__irkiss_ghost_get(lock, IRKISS_GHOST_OWNER) != irkiss_me())
        IRKISS_BEFORE_LOCK(lock, all, 0);
}

int pthread_rwlock_rdlock(void *lock)
{
    int error = 0;
    if (__irkiss_property(IRKISS_LOCKS))
        before_lock(lock, 0);
    __irkiss_atomic_begin();
    u64 writer = __irkiss_ghost_get(lock, IRKISS_GHOST_OWNER);
    if (writer == irkiss_me()) {
        error = IRKISS_EDEADLK;
    } else {
        __irkiss_assume(writer == 0);
        enter_reader(lock);
        IRKISS_AFTER_LOCK(lock);
    }
    __irkiss_atomic_end();
    return error;
}

int pthread_rwlock_wrlock(void *lock)
{
    int error = 0;
    if (__irkiss_property(IRKISS_LOCKS))
        before_lock(lock, 1);
    __irkiss_atomic_begin();
    u64 writer = __irkiss_ghost_get(lock, IRKISS_GHOST_OWNER);
    if (writer == irkiss_me()) {
        error = IRKISS_EDEADLK;
    } else {
        __irkiss_assume(writer == 0 && __irkiss_ghost_get(lock, IRKISS_GHOST_READERS) == 0);
        IRKISS_CHANGES(lock, __irkiss_ghost_set(lock, IRKISS_GHOST_OWNER, irkiss_me()));
        IRKISS_AFTER_LOCK(lock);
    }
    __irkiss_atomic_end();
    return error;
}

/* Whether it is taken: constants, so that locksets can follow them. */
static _Bool try_read(void *lock)
{
    _Bool taken = 0;
    __irkiss_atomic_begin();
    if (__irkiss_ghost_get(lock, IRKISS_GHOST_OWNER) == 0) {
        enter_reader(lock);
        IRKISS_AFTER_LOCK(lock);
        taken = 1;
    }
    __irkiss_atomic_end();
    return taken;
}

static _Bool try_write(void *lock)
{
    _Bool taken = 0;
    __irkiss_atomic_begin();
    if (__irkiss_ghost_get(lock, IRKISS_GHOST_OWNER) == 0 && __irkiss_ghost_get(lock, IRKISS_GHOST_READERS) == 0) {
        IRKISS_CHANGES(lock, __irkiss_ghost_set(lock, IRKISS_GHOST_OWNER, irkiss_me()));
        IRKISS_AFTER_LOCK(lock);
        taken = 1;
    }
    __irkiss_atomic_end();
    return taken;
}

int pthread_rwlock_tryrdlock(void *lock) { return try_read(lock) ? 0 : IRKISS_EBUSY; }
int pthread_rwlock_trywrlock(void *lock) { return try_write(lock) ? 0 : IRKISS_EBUSY; }

/* Time is arbitrary: see pthread_mutex_timedlock. */
int pthread_rwlock_timedrdlock(void *lock, const void *deadline)
{
    if (try_read(lock))
        return 0;
    irkiss_given(deadline, IRKISS_TIME_BYTES);
    return IRKISS_ETIMEDOUT;
}

int pthread_rwlock_timedwrlock(void *lock, const void *deadline)
{
    if (try_write(lock))
        return 0;
    irkiss_given(deadline, IRKISS_TIME_BYTES);
    return IRKISS_ETIMEDOUT;
}

int pthread_rwlock_clockrdlock(void *lock, int clock, const void *deadline)
{
    (void)clock;
    return pthread_rwlock_timedrdlock(lock, deadline);
}

int pthread_rwlock_clockwrlock(void *lock, int clock, const void *deadline)
{
    (void)clock;
    return pthread_rwlock_timedwrlock(lock, deadline);
}

int pthread_rwlock_unlock(void *lock)
{
    int error = 0;
    irkiss_must_be_there(lock);
    __irkiss_atomic_begin();
    if (__irkiss_ghost_get(lock, IRKISS_GHOST_OWNER) == irkiss_me()) {
        IRKISS_CHANGES(lock, __irkiss_ghost_set(lock, IRKISS_GHOST_OWNER, 0));
        IRKISS_AFTER_UNLOCK();
    } else if (__irkiss_ghost_get(lock, mine()) != 0) {
        leave_reader(lock);
        IRKISS_AFTER_UNLOCK();
    } else {
        /* By who does not hold it, or too often: undefined (POSIX). */
        error = IRKISS_EPERM;
        if (__irkiss_property(IRKISS_LOCK_MISUSE))
            __irkiss_check(IRKISS_RELEASE_NOT_HELD, 0, lock);
    }
    __irkiss_atomic_end();
    return error;
}

IRKISS_ASSUMES("settings-accepted")
int pthread_rwlockattr_init(void *attributes) { (void)attributes; return 0; }
IRKISS_ASSUMES("settings-accepted")
int pthread_rwlockattr_destroy(void *attributes) { (void)attributes; return 0; }
IRKISS_ASSUMES("settings-accepted")
int pthread_rwlockattr_setpshared(void *attributes, int shared) { (void)attributes, (void)shared; return 0; }
IRKISS_ASSUMES("settings-accepted")
int pthread_rwlockattr_setkind_np(void *attributes, int kind) { (void)attributes, (void)kind; return 0; }

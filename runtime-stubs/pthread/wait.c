/* Condition variables, barriers, semaphores.
 *
 * POSIX allows a wait on a condition variable to end without a signal, so a wait is: give up the mutex, take it again.
 * Those are all its behaviours; a signal, lost or not, adds none. A program that relies on the signal itself (waits
 * without a loop around the condition) is wrong, and found so.
 *
 * --property deadlock: who waits may also wait for ever, as long as nobody wakes it. IRKISS_GHOST_WAITERS are those who will go on,
 * IRKISS_GHOST_SIGNALS those of them that were woken; a signal is theirs if there is one of them, else of one that has given up. */
#include "irkiss_pthread.h"

IRKISS_ASSUMES("settings-accepted")
int pthread_cond_init(void *cond, const void *attributes) { (void)cond, (void)attributes; return 0; }
IRKISS_ASSUMES("settings-accepted")
int pthread_cond_destroy(void *cond) { (void)cond; return 0; }

int pthread_cond_signal(void *cond)
{
    u64 woken, waiters;
    irkiss_must_be_there(cond);
    if (__irkiss_property(IRKISS_DEADLOCK)) {
        __irkiss_atomic_begin();
        woken = __irkiss_ghost_get(cond, IRKISS_GHOST_SIGNALS);
        waiters = __irkiss_ghost_get(cond, IRKISS_GHOST_WAITERS);
        if (waiters > woken)
            __irkiss_ghost_set(cond, IRKISS_GHOST_SIGNALS, woken + 1);
        else
            irkiss_event(cond);
        __irkiss_atomic_end();
    }
    return 0;
}

int pthread_cond_broadcast(void *cond)
{
    irkiss_must_be_there(cond);
    if (__irkiss_property(IRKISS_DEADLOCK))
        IRKISS_ATOMIC(__irkiss_ghost_set(cond, IRKISS_GHOST_SIGNALS, __irkiss_ghost_get(cond, IRKISS_GHOST_WAITERS));
                      irkiss_event(cond));
    return 0;
}
IRKISS_ASSUMES("settings-accepted")
int pthread_condattr_init(void *attributes) { (void)attributes; return 0; }
IRKISS_ASSUMES("settings-accepted")
int pthread_condattr_destroy(void *attributes) { (void)attributes; return 0; }
IRKISS_ASSUMES("settings-accepted")
int pthread_condattr_setclock(void *attributes, int clock) { (void)attributes, (void)clock; return 0; }
IRKISS_ASSUMES("settings-accepted")
int pthread_condattr_setpshared(void *attributes, int shared) { (void)attributes, (void)shared; return 0; }

/* Gives up the mutex and takes it again; `stays`: or waits for ever. */
static void wait_once(void *cond, void *mutex, _Bool stays)
{
    u64 depth;
    irkiss_must_be_there(cond);
    if (!__irkiss_property(IRKISS_DEADLOCK)) {
        depth = irkiss_mutex_release(mutex);
    } else {
        __irkiss_atomic_begin();
        depth = irkiss_mutex_release(mutex);
        if (stays)
            irkiss_waits_for(cond, IRKISS_AWAITS_EVENT);
        else
            __irkiss_ghost_set(cond, IRKISS_GHOST_WAITERS, __irkiss_ghost_get(cond, IRKISS_GHOST_WAITERS) + 1);
        __irkiss_atomic_end();
        if (stays)
            __irkiss_stop();
        __irkiss_atomic_begin();
        u64 woken = __irkiss_ghost_get(cond, IRKISS_GHOST_SIGNALS);
        __irkiss_ghost_set(cond, IRKISS_GHOST_WAITERS, __irkiss_ghost_get(cond, IRKISS_GHOST_WAITERS) - 1);
        if (woken != 0)
            __irkiss_ghost_set(cond, IRKISS_GHOST_SIGNALS, woken - 1);
        __irkiss_atomic_end();
    }
    irkiss_signals();
    /* Who is cancelled takes the mutex again first. */
    irkiss_mutex_retake(mutex, depth);
    irkiss_cancellation_point();
}

int pthread_cond_wait(void *cond, void *mutex)
{
    if (!__irkiss_property(IRKISS_DEADLOCK))
        wait_once(cond, mutex, 0);
    else
        wait_once(cond, mutex, __irkiss_nondet_bool());
    return 0;
}

int pthread_cond_timedwait(void *cond, void *mutex, const void *deadline)
{
    irkiss_given(deadline, IRKISS_TIME_BYTES);
    wait_once(cond, mutex, 0);
    return __irkiss_nondet_bool() ? IRKISS_ETIMEDOUT : 0;
}

int pthread_cond_clockwait(void *cond, void *mutex, int clock, const void *deadline)
{
    (void)clock;
    return pthread_cond_timedwait(cond, mutex, deadline);
}

/* ---- Barriers: IRKISS_GHOST_WAITERS have arrived of IRKISS_GHOST_LIMIT; IRKISS_GHOST_SIGNALS counts the rounds. ---- */
IRKISS_ASSUMES("settings-accepted")
int pthread_barrier_init(void *barrier, const void *attributes, unsigned parties)
{
    (void)attributes;
    if (parties == 0)
        return IRKISS_EINVAL;
    __irkiss_atomic_begin();
    __irkiss_ghost_set(barrier, IRKISS_GHOST_LIMIT, parties);
    __irkiss_ghost_set(barrier, IRKISS_GHOST_WAITERS, 0);
    __irkiss_atomic_end();
    return 0;
}

IRKISS_ASSUMES("settings-accepted")
int pthread_barrier_destroy(void *barrier)
{
    (void)barrier;
    return 0;
}

int pthread_barrier_wait(void *barrier)
{
    _Bool last;
    u64 round;
    irkiss_must_be_there(barrier);
    __irkiss_atomic_begin();
    round = __irkiss_ghost_get(barrier, IRKISS_GHOST_SIGNALS);
    u64 arrived = __irkiss_ghost_get(barrier, IRKISS_GHOST_WAITERS) + 1;
    last = arrived == __irkiss_ghost_get(barrier, IRKISS_GHOST_LIMIT);
    if (last) {
        __irkiss_ghost_set(barrier, IRKISS_GHOST_WAITERS, 0);
        __irkiss_ghost_set(barrier, IRKISS_GHOST_SIGNALS, round + 1);
        irkiss_event(barrier);
    } else {
        __irkiss_ghost_set(barrier, IRKISS_GHOST_WAITERS, arrived);
    }
    __irkiss_atomic_end();
    if (last)
        return -1; /* PTHREAD_BARRIER_SERIAL_THREAD */
    IRKISS_MAY_STAY(barrier, IRKISS_AWAITS_EVENT, __irkiss_ghost_get(barrier, IRKISS_GHOST_SIGNALS) == round);
    IRKISS_ATOMIC(__irkiss_assume(__irkiss_ghost_get(barrier, IRKISS_GHOST_SIGNALS) != round));
    return 0;
}

IRKISS_ASSUMES("settings-accepted")
int pthread_barrierattr_init(void *attributes) { (void)attributes; return 0; }
IRKISS_ASSUMES("settings-accepted")
int pthread_barrierattr_destroy(void *attributes) { (void)attributes; return 0; }
IRKISS_ASSUMES("settings-accepted")
int pthread_barrierattr_setpshared(void *attributes, int shared) { (void)attributes, (void)shared; return 0; }

/* ---- Semaphores: IRKISS_GHOST_SIGNALS is the value. ---- */
IRKISS_ASSUMES("settings-accepted")
int sem_init(void *semaphore, int shared, unsigned value)
{
    (void)shared;
    IRKISS_ATOMIC(IRKISS_CHANGES(semaphore, __irkiss_ghost_set(semaphore, IRKISS_GHOST_SIGNALS, value)));
    return 0;
}

IRKISS_ASSUMES("settings-accepted")
int sem_destroy(void *semaphore)
{
    (void)semaphore;
    return 0;
}

int sem_post(void *semaphore)
{
    irkiss_must_be_there(semaphore);
    IRKISS_ATOMIC(IRKISS_CHANGES(semaphore, __irkiss_ghost_set(semaphore, IRKISS_GHOST_SIGNALS,
                                                                __irkiss_ghost_get(semaphore, IRKISS_GHOST_SIGNALS) + 1)));
    return 0;
}

int sem_wait(void *semaphore)
{
    irkiss_must_be_there(semaphore);
    irkiss_signals();
    irkiss_cancellation_point();
    IRKISS_MAY_STAY(semaphore, IRKISS_AWAITS_PERMIT, __irkiss_ghost_get(semaphore, IRKISS_GHOST_SIGNALS) == 0);
    __irkiss_atomic_begin();
    u64 value = __irkiss_ghost_get(semaphore, IRKISS_GHOST_SIGNALS);
    __irkiss_assume(value != 0);
    IRKISS_CHANGES(semaphore, __irkiss_ghost_set(semaphore, IRKISS_GHOST_SIGNALS, value - 1));
    __irkiss_atomic_end();
    return 0;
}

static int try_wait(void *semaphore, int busy)
{
    _Bool taken;
    irkiss_must_be_there(semaphore);
    __irkiss_atomic_begin();
    u64 value = __irkiss_ghost_get(semaphore, IRKISS_GHOST_SIGNALS);
    taken = value != 0;
    if (taken)
        IRKISS_CHANGES(semaphore, __irkiss_ghost_set(semaphore, IRKISS_GHOST_SIGNALS, value - 1));
    __irkiss_atomic_end();
    if (taken)
        return 0;
    *__errno_location() = busy;
    return -1;
}

int sem_trywait(void *semaphore) { return try_wait(semaphore, IRKISS_EAGAIN); }

int sem_timedwait(void *semaphore, const void *deadline)
{
    irkiss_cancellation_point();
    if (!try_wait(semaphore, IRKISS_ETIMEDOUT))
        return 0;
    irkiss_given(deadline, IRKISS_TIME_BYTES);
    return -1;
}

int sem_clockwait(void *semaphore, int clock, const void *deadline)
{
    (void)clock, (void)deadline;
    irkiss_cancellation_point();
    return try_wait(semaphore, IRKISS_ETIMEDOUT);
}

int sem_getvalue(void *semaphore, int *value)
{
    u64 now;
    irkiss_must_be_there(semaphore);
    IRKISS_ATOMIC(now = __irkiss_ghost_get(semaphore, IRKISS_GHOST_SIGNALS));
    *value = (int)now;
    return 0;
}

/* ---- Semaphores with a name: one for each string, as far as it is compared; SEM_FAILED is null. ---- */
#define NAMED 4
#define CREATE 0100
#define EXCLUSIVE 0200

static struct named {
    u8 open, semaphore;
    const char *name;
} named[NAMED];

int strcmp(const char *a, const char *b);

/* The place of a name; NAMED: there is none. */
static u32 place_of(const char *name)
{
    for (u32 n = 0; n < NAMED; n++) {
        if (!named[n].open)
            continue;
        if (strcmp(named[n].name, name) == 0)
            return n;
    }
    return NAMED;
}

/* Semaphores that were there before the program are not. */
IRKISS_ASSUMES("named-semaphores-new")
void *sem_open(const char *name, int flags, unsigned mode, unsigned value)
{
    u32 place = NAMED;
    (void)mode;
    if (__irkiss_nondet_bool()) {
        irkiss_set_errno(13);
        return NULL;
    }
    __irkiss_atomic_begin();
    place = place_of(name);
    if (place == NAMED && (flags & CREATE)) {
        place = !named[0].open ? 0 : !named[1].open ? 1 : !named[2].open ? 2 : 3;
        if (named[place].open)
            __irkiss_unsupported("more than 4 semaphores with a name");
        named[place].open = 1;
        named[place].name = name;
        __irkiss_ghost_set(&named[place].semaphore, IRKISS_GHOST_SIGNALS, value);
    } else if (flags & EXCLUSIVE) {
        place = NAMED;
    }
    __irkiss_atomic_end();
    return place == NAMED ? NULL : &named[place].semaphore;
}

int sem_close(void *semaphore)
{
    (void)semaphore;
    return 0;
}

int sem_unlink(const char *name)
{
    u32 place;
    __irkiss_atomic_begin();
    place = place_of(name);
    if (place != NAMED)
        named[place].open = 0;
    __irkiss_atomic_end();
    return place == NAMED ? -1 : 0;
}

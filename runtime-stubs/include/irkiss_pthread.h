/* What the models of POSIX and C11 threads share. All state is ghost state at the object's address (irkiss_internal.h);
 * the objects' own bytes are read only to recognise glibc's static initialisers, and never written. */
#ifndef IRKISS_PTHREAD_H
#define IRKISS_PTHREAD_H

#include "irkiss_internal.h"

/* glibc's error numbers, the same on all its architectures that have models here. */
enum {
    IRKISS_EPERM = 1,
    IRKISS_ESRCH = 3,
    IRKISS_EAGAIN = 11,
    IRKISS_EBUSY = 16,
    IRKISS_EINVAL = 22,
    IRKISS_EDEADLK = 35,
    IRKISS_ETIMEDOUT = 110,
    IRKISS_EOWNERDEAD = 130,
    IRKISS_ENOTRECOVERABLE = 131,
};

/* Threads with a record; more of them are unsupported. */
#define IRKISS_MAX_THREADS 64

/* glibc's pthread_t: here the thread's number + 1, so that 0 is no thread. */
typedef unsigned long irkiss_thread;

/* Whether an object is a robust mutex: never in programs without. */
_Bool irkiss_is_robust(const void *object);
/* Whether the calling thread is to end at its next cancellation point: never in programs without pthread_cancel. */
_Bool irkiss_is_cancelled(void);

/* ---- --property deadlock: a state in which each thread has ended or waits, and nothing that one waits for is there. Who comes to a wait
 * may give up, as before a lock (irkiss_may_wait). Only where there is a `main` is it known which threads there are; elsewhere
 * IRKISS_GHOST_LIVE stays 0. A signal's handler and what runs for a function without a model may end any wait; cancellation,
 * those of the thread that is cancelled. ---- */
static inline u64 irkiss_of_all(u32 key) { return __irkiss_ghost_get(&__irkiss_thread_state, key); }

static inline void irkiss_add_to_all(u32 key, u64 step)
{
    __irkiss_ghost_set(&__irkiss_thread_state, key, irkiss_of_all(key) + step);
}

/* How many of those who wait at an object could go on. Within a section, as all of these. */
static inline u64 irkiss_ready_at(const void *object)
{
    u64 ready = 0;
    if (!__irkiss_property(IRKISS_DEADLOCK))
        return 0;
    if (__irkiss_ghost_get(object, IRKISS_GHOST_OWNER) == 0) {
        ready += __irkiss_ghost_get(object, IRKISS_GHOST_STUCK + IRKISS_AWAITS_OWNER);
        if (__irkiss_ghost_get(object, IRKISS_GHOST_READERS) == 0)
            ready += __irkiss_ghost_get(object, IRKISS_GHOST_STUCK + IRKISS_AWAITS_ALL);
    }
    if (__irkiss_ghost_get(object, IRKISS_GHOST_ACTIVE) == 0)
        ready += __irkiss_ghost_get(object, IRKISS_GHOST_STUCK + IRKISS_AWAITS_END);
    if (__irkiss_ghost_get(object, IRKISS_GHOST_SIGNALS) != 0)
        ready += __irkiss_ghost_get(object, IRKISS_GHOST_STUCK + IRKISS_AWAITS_PERMIT);
    return ready;
}

static inline void irkiss_ready_was(const void *object, u64 before)
{
    if (__irkiss_property(IRKISS_DEADLOCK))
        irkiss_add_to_all(IRKISS_GHOST_READY, irkiss_ready_at(object) - before);
}

/* Whoever waits for that may go on from now on. */
static inline void irkiss_event(const void *object)
{
    if (__irkiss_property(IRKISS_DEADLOCK))
        irkiss_add_to_all(IRKISS_GHOST_READY, __irkiss_ghost_get(object, IRKISS_GHOST_STUCK + IRKISS_AWAITS_EVENT));
}

/* No wait is for ever from now on. A step of its own. */
static inline void irkiss_any_wait_may_end(void)
{
    if (__irkiss_property(IRKISS_DEADLOCK))
        IRKISS_ATOMIC(irkiss_add_to_all(IRKISS_GHOST_READY, 1));
}

/* A thread ends, or waits (for an object): some other must be able to go on. */
static inline void irkiss_check_some_go_on(const void *object)
{
    u64 waiting = irkiss_of_all(IRKISS_GHOST_WAITING);
    _Bool all = waiting != 0 && waiting == irkiss_of_all(IRKISS_GHOST_LIVE);
    __irkiss_check(IRKISS_WAITS_FOR_EVER, !all || irkiss_of_all(IRKISS_GHOST_READY) != 0, object);
}

/* Whether a thread has given up at a wait that cancellation ends. That is not told of each wait for an event: barriers and pthread_once
 * count, too, although nobody is cancelled there. */
static inline _Bool irkiss_waits_at_point(u64 thread)
{
    return irkiss_state_of(thread, IRKISS_GHOST_WAITS) != 0 && irkiss_state_of(thread, IRKISS_GHOST_WAITS_FOR_ALL) >= IRKISS_AWAITS_END;
}

static inline void irkiss_waits_for(const void *object, u64 awaits)
{
    u32 stuck = IRKISS_GHOST_STUCK + (u32)awaits;
    irkiss_set_state(IRKISS_GHOST_WAITS, (u64)(uptr)object);
    irkiss_set_state(IRKISS_GHOST_WAITS_FOR_ALL, awaits);
    __irkiss_ghost_set(object, stuck, __irkiss_ghost_get(object, stuck) + 1);
    irkiss_add_to_all(IRKISS_GHOST_WAITING, 1);
    if (irkiss_waits_at_point(__irkiss_self()) && irkiss_is_cancelled())
        irkiss_add_to_all(IRKISS_GHOST_READY, 1);
    /* Its owner may end, which hands it over. */
    if (awaits == IRKISS_AWAITS_OWNER && irkiss_is_robust(object))
        irkiss_add_to_all(IRKISS_GHOST_READY, 1);
    irkiss_check_some_go_on(object);
}

/* Before a wait, which lasts while the condition holds: the thread may give up. */
#define IRKISS_MAY_STAY(object, awaits, condition) \
    do { \
        if (__irkiss_property(IRKISS_DEADLOCK)) { \
            if (__irkiss_nondet_bool()) { \
                __irkiss_atomic_begin(); \
                __irkiss_assume(condition); \
                irkiss_waits_for(object, awaits); \
                __irkiss_atomic_end(); \
                __irkiss_stop(); \
            } \
        } \
    } while (0)

/* From now on other processes, or other numbers, may lead to the files that are known by number so far (pipes.c). Within a section. */
static inline void irkiss_share_files(void)
{
    irkiss_add_to_all(IRKISS_GHOST_FILES_SHARED, 1);
    if (__irkiss_property(IRKISS_DEADLOCK))
        irkiss_add_to_all(IRKISS_GHOST_READY, irkiss_of_all(IRKISS_GHOST_FILES_AWAITED));
}

int pthread_create(irkiss_thread *thread, const void *attributes, void *(*start)(void *), void *argument);
int irkiss_start_thread(irkiss_thread *thread, void *(*start)(void *), void *argument);
int pthread_join(irkiss_thread thread, void **result);
irkiss_thread pthread_self(void);
__attribute__((noreturn)) void pthread_exit(void *result);
void irkiss_run_key_destructors(void);
/* What C++ destroys at a thread's end: nothing in programs without variables of each thread that have destructors. */
void irkiss_destroy_thread_locals(void);
/* How many threads there are: nothing in programs without functions for their end. */
void irkiss_thread_begins(void);
void irkiss_thread_ends(void);
/* A signal is raised: nothing in programs without handlers. */
void irkiss_raised(int number);
/* Whether a thread has ended. */
_Bool irkiss_has_ended(u64 number);
/* Of robust mutexes: nothing in programs without. */
int irkiss_take_over(const void *mutex, u64 owner);
void irkiss_tried_in_vain(const void *mutex);
void irkiss_give_up(const void *mutex);
/* Before a thread ends by itself or is cancelled: nothing in programs without cleanup handlers. */
void irkiss_run_cleanup_handlers(void *result);

int pthread_mutex_init(void *mutex, const void *attributes);
int pthread_mutex_destroy(void *mutex);
int pthread_mutex_lock(void *mutex);
int pthread_mutex_trylock(void *mutex);
int pthread_mutex_unlock(void *mutex);
/* Gives up the mutex for a wait and returns how often it was held; takes it again as often. Each is a step. As in glibc, one that is held
 * more than once is given up once, and so is still held. */
u64 irkiss_mutex_release(void *mutex);
void irkiss_mutex_retake(void *mutex, u64 depth);

int pthread_once(void *once, void (*routine)(void));
int pthread_key_create(unsigned *key, void (*destructor)(void *));
int pthread_key_delete(unsigned key);
int pthread_setspecific(unsigned key, const void *value);
void *pthread_getspecific(unsigned key);

int pthread_cond_wait(void *cond, void *mutex);
int pthread_cond_timedwait(void *cond, void *mutex, const void *deadline);
int pthread_cond_signal(void *cond);
int pthread_cond_broadcast(void *cond);
int pthread_cond_init(void *cond, const void *attributes);
int pthread_rwlock_init(void *lock, const void *attributes);
int pthread_barrier_init(void *barrier, const void *attributes, unsigned parties);
int pthread_spin_init(void *lock, int shared);
int sem_init(void *semaphore, int shared, unsigned value);
int sem_wait(void *semaphore);

/* They do not fail. */
void *irkiss_allocate(usize size, _Bool zero);
void *irkiss_reallocate(void *old, usize size);

int *__errno_location(void);
/* Sets the calling thread's errno. */
void irkiss_set_errno(int number);
/* Where a thread may be cancelled: nothing in programs without pthread_cancel. */
void irkiss_cancellation_point(void);
/* Where a thread waits and a handler of a signal may run on it: nothing in programs without handlers. */
void irkiss_signals(void);
/* Whether there are handlers. */
_Bool irkiss_handles_signals(void);

/* A function uses a FILE under its lock: nothing in programs in which no call tells the difference (streams.c). */
void irkiss_stream(void *file);
void irkiss_standard_output(void);
void irkiss_standard_input(void);
void irkiss_stream_buffer(void *file);
/* A stream has told what it wrote: nothing in programs without streams that end in memory. */
void irkiss_flushed(const void *file);
/* A FILE that was closed is used (--property uaf). */
void irkiss_must_be_open(const void *file);
static inline void irkiss_uses(void *file)
{
    irkiss_must_be_open(file);
    irkiss_stream(file);
}

/* What a call is given the address of, and reads; it may be null. */
static inline void irkiss_given(const void *given, u64 bytes)
{
    if (given)
        __irkiss_touch(given, bytes);
}

/* The size of struct timespec and struct timeval. */
#define IRKISS_TIME_BYTES (2 * sizeof(long))

#endif

/* POSIX threads: creation, end, join, once. Where the program does not look at the result, a thread is always created (failures.c:
 * where it does). Scheduling attributes have no effect: every interleaving is explored anyway. */
#include "irkiss_pthread.h"

/* What a joiner may learn; by thread number. An execution ends where a thread has no record. That is no gap for what locks prove of
 * any number of threads: such a thread would run its routine like all others, and those are the accesses and the locks that count.
 * Records are nobody's but the models'. */
static struct record {
    void *result;
    u8 finished;
} records[IRKISS_MAX_THREADS];

/* What libstdc++ looks at (glibc clears it before the first thread is created). */
char __libc_single_threaded = 1;

/* What the creator hands to the new thread. */
struct start {
    void *(*routine)(void *);
    void *argument;
};

static void finish(void *result)
{
    irkiss_destroy_thread_locals();
    irkiss_run_key_destructors();
    if (__irkiss_property(IRKISS_LOCK_MISUSE))
        IRKISS_ATOMIC(__irkiss_check(IRKISS_RETURN_WITH_LOCK_HELD, irkiss_state(IRKISS_GHOST_HELD) == 0, NULL));
    u64 self = __irkiss_self();
    __irkiss_atomic_begin();
    records[self].result = result;
    records[self].finished = 1;
    if (__irkiss_property(IRKISS_DEADLOCK)) {
        IRKISS_CHANGES(&records[self], irkiss_set_active(&records[self], 0));
        if (irkiss_of_all(IRKISS_GHOST_LIVE) != 0) {
            irkiss_add_to_all(IRKISS_GHOST_LIVE, ~0ull);
            irkiss_check_some_go_on(NULL);
        }
    }
    __irkiss_atomic_end();
    irkiss_thread_ends();
}

_Bool irkiss_has_ended(u64 number) { return records[number % IRKISS_MAX_THREADS].finished != 0; }

/* The process has threads from here on, or is over: nothing that waits then is of interest. */
void __irkiss_program_begins(void)
{
    if (__irkiss_property(IRKISS_DEADLOCK))
        IRKISS_ATOMIC(__irkiss_ghost_set(&__irkiss_thread_state, IRKISS_GHOST_LIVE, 1);
                      irkiss_set_active(&records[0], irkiss_me()));
}
void __irkiss_program_ends(void) { irkiss_any_wait_may_end(); }

static void trampoline(void *cell)
{
    struct start *start = cell;
    void *(*routine)(void *);
    void *argument;
    if (__irkiss_self() >= IRKISS_MAX_THREADS)
        __irkiss_exceeded("more than 64 threads");
    __irkiss_atomic_begin();
    routine = start->routine;
    argument = start->argument;
    irkiss_set_active(&records[__irkiss_self()], irkiss_me());
    __irkiss_atomic_end();
    finish(routine(argument));
}

int irkiss_start_thread(irkiss_thread *thread, void *(*routine)(void *), void *argument)
{
    struct start *start = __irkiss_alloc(sizeof *start, 0);
    __irkiss_atomic_begin();
    start->routine = routine;
    start->argument = argument;
    if (__libc_single_threaded)
        __libc_single_threaded = 0;
    __irkiss_ghost_set(&__irkiss_thread_state, IRKISS_GHOST_THREADS, 1);
    if (__irkiss_property(IRKISS_DEADLOCK)) {
        if (irkiss_of_all(IRKISS_GHOST_LIVE) != 0)
            irkiss_add_to_all(IRKISS_GHOST_LIVE, 1);
    }
    __irkiss_atomic_end();
    irkiss_thread_begins();
    u64 number = __irkiss_async(trampoline, start);
    /* POSIX does not promise that the new thread finds its identity here, so this is a plain access beside it. */
    *thread = (irkiss_thread)(number + 1);
    return 0;
}

IRKISS_ASSUMES("threads-start")
int pthread_create(irkiss_thread *thread, const void *attributes, void *(*routine)(void *), void *argument)
{
    (void)attributes;
    return irkiss_start_thread(thread, routine, argument);
}

int pthread_join(irkiss_thread thread, void **result)
{
    void *value;
    if (thread == 0 || thread > IRKISS_MAX_THREADS)
        return IRKISS_ESRCH;
    if (thread == pthread_self())
        return IRKISS_EDEADLK;
    irkiss_signals();
    irkiss_cancellation_point();
    irkiss_may_await(&records[thread - 1]);
    __irkiss_atomic_begin();
    __irkiss_assume(records[thread - 1].finished != 0);
    value = records[thread - 1].result;
    __irkiss_atomic_end();
    if (result)
        *result = value;
    return 0;
}

int pthread_tryjoin_np(irkiss_thread thread, void **result)
{
    void *value = NULL;
    _Bool finished;
    if (thread == 0 || thread > IRKISS_MAX_THREADS)
        return IRKISS_ESRCH;
    __irkiss_atomic_begin();
    finished = records[thread - 1].finished != 0;
    if (finished)
        value = records[thread - 1].result;
    __irkiss_atomic_end();
    if (!finished)
        return IRKISS_EBUSY;
    if (result)
        *result = value;
    return 0;
}

int pthread_timedjoin_np(irkiss_thread thread, void **result, const void *deadline)
{
    (void)deadline;
    int error = pthread_tryjoin_np(thread, result);
    return error == IRKISS_EBUSY ? IRKISS_ETIMEDOUT : error;
}

int pthread_clockjoin_np(irkiss_thread thread, void **result, int clock, const void *deadline)
{
    (void)clock;
    return pthread_timedjoin_np(thread, result, deadline);
}

/* State of a pthread_once_t. */
enum { ONCE_KEY = IRKISS_GHOST_PTHREAD, ONCE_NEW = 0, ONCE_RUNNING = 1, ONCE_DONE = 2 };

/* What a thread initialises once at the moment; of one within another, IRKISS_GHOST_HANDLE is the other. */
static void *initialises[IRKISS_MAX_THREADS];

/* A thread ends there: it is as if nobody had begun (POSIX: pthread_once). */
static void leave_once(void)
{
    u64 self = __irkiss_self() % IRKISS_MAX_THREADS;
    __irkiss_atomic_begin();
    void *once = initialises[self];
    if (once) {
        __irkiss_ghost_set(once, ONCE_KEY, ONCE_NEW);
        irkiss_event(once);
        void *outer = (void *)(uptr)__irkiss_ghost_get(once, IRKISS_GHOST_HANDLE);
        initialises[self] = outer;
        if (outer) {
            __irkiss_ghost_set(outer, ONCE_KEY, ONCE_NEW);
            irkiss_event(outer);
        }
    }
    __irkiss_atomic_end();
}

void pthread_exit(void *result)
{
    leave_once();
    irkiss_run_cleanup_handlers(result);
    finish(result);
    __irkiss_stop();
}

int pthread_detach(irkiss_thread thread)
{
    (void)thread;
    return 0;
}

irkiss_thread pthread_self(void)
{
    return (irkiss_thread)(__irkiss_self() + 1);
}

int pthread_equal(irkiss_thread a, irkiss_thread b)
{
    return a == b;
}

int pthread_once(void *once, void (*routine)(void))
{
    _Bool first;
    u64 self = __irkiss_self() % IRKISS_MAX_THREADS;
    IRKISS_MAY_STAY(once, IRKISS_AWAITS_EVENT, __irkiss_ghost_get(once, ONCE_KEY) == ONCE_RUNNING);
    __irkiss_atomic_begin();
    u64 state = __irkiss_ghost_get(once, ONCE_KEY);
    __irkiss_assume(state != ONCE_RUNNING);
    first = state == ONCE_NEW;
    if (first) {
        __irkiss_ghost_set(once, ONCE_KEY, ONCE_RUNNING);
        __irkiss_ghost_set(once, IRKISS_GHOST_HANDLE, (u64)(uptr)initialises[self]);
        initialises[self] = once;
    }
    __irkiss_atomic_end();
    if (first) {
        routine();
        __irkiss_atomic_begin();
        initialises[self] = (void *)(uptr)__irkiss_ghost_get(once, IRKISS_GHOST_HANDLE);
        __irkiss_ghost_set(once, ONCE_KEY, ONCE_DONE);
        irkiss_event(once);
        __irkiss_atomic_end();
    }
    return 0;
}

/* ---- Attributes: none of them changes what is possible. ---- */
IRKISS_ASSUMES("settings-accepted")
int pthread_attr_init(void *attributes) { (void)attributes; return 0; }
IRKISS_ASSUMES("settings-accepted")
int pthread_attr_destroy(void *attributes) { (void)attributes; return 0; }
IRKISS_ASSUMES("settings-accepted")
int pthread_attr_setdetachstate(void *attributes, int state) { (void)attributes, (void)state; return 0; }
IRKISS_ASSUMES("settings-accepted")
int pthread_attr_setstacksize(void *attributes, usize bytes) { (void)attributes, (void)bytes; return 0; }
IRKISS_ASSUMES("settings-accepted")
int pthread_attr_setguardsize(void *attributes, usize bytes) { (void)attributes, (void)bytes; return 0; }
IRKISS_ASSUMES("settings-accepted")
int pthread_attr_setscope(void *attributes, int scope) { (void)attributes, (void)scope; return 0; }
IRKISS_ASSUMES("settings-accepted")
int pthread_attr_setinheritsched(void *attributes, int inherit) { (void)attributes, (void)inherit; return 0; }
IRKISS_ASSUMES("settings-accepted")
int pthread_attr_setschedpolicy(void *attributes, int policy) { (void)attributes, (void)policy; return 0; }
IRKISS_ASSUMES("settings-accepted")
int pthread_attr_setschedparam(void *attributes, const void *p) { (void)attributes, (void)p; return 0; }
IRKISS_ASSUMES("settings-accepted")
int pthread_attr_setaffinity_np(void *attributes, usize bytes, const void *set)
{
    (void)attributes, (void)bytes, (void)set;
    return 0;
}
IRKISS_ASSUMES("settings-accepted")
int pthread_setaffinity_np(irkiss_thread thread, usize bytes, const void *set)
{
    (void)thread;
    irkiss_given(set, bytes);
    return 0;
}
IRKISS_ASSUMES("settings-accepted")
int pthread_setname_np(irkiss_thread thread, const char *name)
{
    (void)thread;
    irkiss_given(name, 1);
    return 0;
}
IRKISS_ASSUMES("settings-accepted")
int pthread_setschedparam(irkiss_thread thread, int policy, const void *p)
{
    (void)thread, (void)policy;
    irkiss_given(p, sizeof(int));
    return 0;
}
IRKISS_ASSUMES("settings-accepted")
int pthread_setconcurrency(int level) { (void)level; return 0; }

/* Cancellation: a thread that was cancelled ends, as by pthread_exit, at one of its next cancellation points; those are where it may
 * wait. Asynchronous cancellation is unsupported. */
#include "irkiss_pthread.h"

enum { DISABLED = 1 };

/* By thread number. */
static struct {
    u8 cancelled, disabled, handlers;
} states[IRKISS_MAX_THREADS];

int pthread_cancel(irkiss_thread thread)
{
    if (thread == 0 || thread > IRKISS_MAX_THREADS)
        return IRKISS_ESRCH;
    irkiss_any_wait_may_end();
    IRKISS_ATOMIC(states[thread - 1].cancelled = 1);
    return 0;
}

void irkiss_cancellation_point(void)
{
    u64 self = __irkiss_self() % IRKISS_MAX_THREADS;
    _Bool cancelled;
    IRKISS_ATOMIC(cancelled = states[self].cancelled && !states[self].disabled);
    if (cancelled)
        pthread_exit((void *)-1);
}

void pthread_testcancel(void) { irkiss_cancellation_point(); }

int pthread_setcancelstate(int state, int *old)
{
    u64 self = __irkiss_self() % IRKISS_MAX_THREADS;
    u8 before;
    __irkiss_atomic_begin();
    before = states[self].disabled;
    states[self].disabled = state == DISABLED;
    __irkiss_atomic_end();
    if (old)
        *old = before;
    return 0;
}

int pthread_setcanceltype(int type, int *old)
{
    if (type != 0)
        __irkiss_unsupported("asynchronous cancellation");
    if (old)
        *old = 0;
    return 0;
}

/* ---- pthread_cleanup_push and _pop, as glibc's headers make them: a jump back to where the handler is called. ---- */
void __pthread_register_cancel(void *buffer)
{
    (void)buffer;
    IRKISS_ATOMIC(states[__irkiss_self() % IRKISS_MAX_THREADS].handlers++);
}

void __pthread_unregister_cancel(void *buffer)
{
    (void)buffer;
    IRKISS_ATOMIC(states[__irkiss_self() % IRKISS_MAX_THREADS].handlers--);
}

__attribute__((noreturn)) void __pthread_unwind_next(void *buffer)
{
    (void)buffer;
    __irkiss_unsupported("cleanup handler");
}

/* Where a thread ends before it has left the part of the program that a handler guards. */
void irkiss_run_cleanup_handlers(void)
{
    u8 handlers;
    IRKISS_ATOMIC(handlers = states[__irkiss_self() % IRKISS_MAX_THREADS].handlers);
    if (handlers)
        __irkiss_unsupported("a thread ends within pthread_cleanup_push");
}

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
    __irkiss_atomic_begin();
    states[thread - 1].cancelled = 1;
    /* It has given up where it may be cancelled: it would go on. */
    if (__irkiss_property(IRKISS_DEADLOCK)) {
        if (irkiss_waits_at_point(thread - 1) && !states[thread - 1].disabled)
            irkiss_add_to_all(IRKISS_GHOST_READY, 1);
    }
    __irkiss_atomic_end();
    return 0;
}

/* Within a section. */
_Bool irkiss_is_cancelled(void)
{
    u64 self = __irkiss_self() % IRKISS_MAX_THREADS;
    return states[self].cancelled && !states[self].disabled;
}

void irkiss_cancellation_point(void)
{
    _Bool cancelled;
    IRKISS_ATOMIC(cancelled = irkiss_is_cancelled());
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

/* ---- pthread_cleanup_push and _pop, as glibc's headers make them: where a thread ends before the part of the program that a handler
 * guards, there is a jump back to where the handler is called, the innermost first; the last one goes on to the end of the thread. ---- */
#define NESTED 4

static struct {
    void *buffers[NESTED];
    void *result;
} cleanups[IRKISS_MAX_THREADS];

/* As longjmp (src/frontend/llvm/longjmp.rs). */
__attribute__((noreturn)) void __irkiss_jump(void *buffer, int value);

void __pthread_register_cancel(void *buffer)
{
    u64 self = __irkiss_self() % IRKISS_MAX_THREADS;
    __irkiss_atomic_begin();
    u8 place = states[self].handlers;
    if (place >= NESTED)
        __irkiss_unsupported("more than 4 cleanup handlers within one another");
    cleanups[self].buffers[place] = buffer;
    states[self].handlers = place + 1;
    __irkiss_atomic_end();
}

void __pthread_unregister_cancel(void *buffer)
{
    (void)buffer;
    IRKISS_ATOMIC(states[__irkiss_self() % IRKISS_MAX_THREADS].handlers--);
}

/* The innermost, which is none any more; null: there is none. */
static void *take_innermost(u64 self)
{
    void *buffer = NULL;
    __irkiss_atomic_begin();
    u8 place = states[self].handlers;
    if (place != 0) {
        buffer = cleanups[self].buffers[place - 1];
        states[self].handlers = place - 1;
    }
    __irkiss_atomic_end();
    return buffer;
}

/* Who ends is not cancelled once more. */
void irkiss_run_cleanup_handlers(void *result)
{
    u64 self = __irkiss_self() % IRKISS_MAX_THREADS;
    void *buffer = take_innermost(self);
    IRKISS_ATOMIC(states[self].disabled = 1);
    if (!buffer)
        return;
    IRKISS_ATOMIC(cleanups[self].result = result);
    __irkiss_jump(buffer, 1);
}

__attribute__((noreturn)) void __pthread_unwind_next(void *buffer)
{
    u64 self = __irkiss_self() % IRKISS_MAX_THREADS;
    void *next = take_innermost(self), *result;
    (void)buffer;
    if (next)
        __irkiss_jump(next, 1);
    IRKISS_ATOMIC(result = cleanups[self].result);
    pthread_exit(result);
}

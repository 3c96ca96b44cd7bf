/* What functions without a model may do with what a program gives them (src/frontend/close/unknown.rs). */
#include "irkiss_pthread.h"

struct call {
    void (*calls)(void *function, void *context);
    void *function, *context;
};

static void later(void *cell)
{
    struct call *call = cell;
    void (*calls)(void *, void *);
    void *function, *context;
    __irkiss_atomic_begin();
    calls = call->calls;
    function = call->function;
    context = call->context;
    __irkiss_atomic_end();
    calls(function, context);
}

/* A function that is handed out is called now, or later from another thread, or never. */
void __irkiss_outside_calls(void (*calls)(void *, void *), void *function, void *context)
{
    if (!function)
        return;
    irkiss_any_wait_may_end();
    if (__irkiss_nondet_bool())
        calls(function, context);
    if (__irkiss_nondet_bool()) {
        struct call *call = __irkiss_alloc(sizeof *call, 0);
        __irkiss_atomic_begin();
        call->calls = calls;
        call->function = function;
        call->context = context;
        __irkiss_atomic_end();
        __irkiss_async(later, call);
    }
}

void __irkiss_outside_calls_field(void (*calls)(void *, void *), void *object, void **field, void *context)
{
    if (object)
        __irkiss_outside_calls(calls, *field, context);
}

void __irkiss_outside_writes(void *object, void *place, u64 size)
{
    if (object)
        __irkiss_havoc(place, size);
}

void __irkiss_outside_reads(const void *object, const void *place, u64 size)
{
    if (object)
        __irkiss_touch(place, size);
}

/* A pointer in an object: whatever is written there, it is taken to lead where it led. */
void __irkiss_outside_rewrites(void *object, void **place)
{
    void *known;
    if (!object)
        return;
    known = *place;
    (void)__irkiss_nondet_bool();
    *place = known;
}

void __irkiss_outside_points(void *object, void **place)
{
    if (object)
        *place = __irkiss_nondet_ptr();
}

/* Timers of the process that start a thread each time they expire (timer_create(2), sigevent(7): SIGEV_THREAD). One that is set expires, or
 * does not while the program is looked at; one that repeats, up to twice. A thread that has begun goes on when its timer is deleted. Timers
 * that send a signal are set and never expire: of signals see signals.c.
 */
#include "irkiss_pthread.h"

/* glibc's and musl's, on 64-bit machines. */
struct event {
    void *value;
    int number, notify;
    void (*function)(void *);
};
struct spec {
    s64 interval[2], value[2];
};

enum { EAGAIN = 11, THREAD = 2 };

struct timer {
    void (*function)(void *);
    void *value;
};

static void *expires(void *cell)
{
    struct timer *timer = cell;
    void (*function)(void *);
    void *value;
    __irkiss_atomic_begin();
    function = timer->function;
    value = timer->value;
    __irkiss_atomic_end();
    function(value);
    return NULL;
}

int timer_create(int clock, const struct event *event, void **timer)
{
    (void)clock;
    if (__irkiss_nondet_bool()) {
        irkiss_set_errno(EAGAIN);
        return -1;
    }
    struct timer *new = __irkiss_alloc(sizeof *new, 0);
    _Bool thread = event && event->notify == THREAD;
    new->function = thread ? event->function : NULL;
    new->value = thread ? event->value : NULL;
    *timer = new;
    return 0;
}

IRKISS_ASSUMES("signal-handlers")
IRKISS_ASSUMES("timers-expire-twice")
int timer_settime(void *timer, int flags, const struct spec *to, struct spec *old)
{
    struct timer *set = timer;
    irkiss_thread thread;
    (void)flags;
    if (old)
        __irkiss_havoc(old, sizeof *old);
    if (!set->function || (to->value[0] == 0 && to->value[1] == 0) || __irkiss_nondet_bool())
        return 0;
    (void)irkiss_start_thread(&thread, expires, timer);
    if ((to->interval[0] != 0 || to->interval[1] != 0) && __irkiss_nondet_bool())
        (void)irkiss_start_thread(&thread, expires, timer);
    return 0;
}

/* Signals. A handler runs on a thread that waits or that raises the signal; when it may come between any two steps of a thread, and
 * which thread it is, is not followed. */
#include "irkiss_pthread.h"

/* Signals that have had a handler; more are unsupported. */
#define HANDLERS 4

/* The function of a signal, or what there is instead: the default (null), or nothing (1). */
struct installed {
    void *function;
    _Bool with_details;
    int number;
};

static struct installed handlers[HANDLERS];
static u32 installed;

enum { EINVAL = 22, SIGKILL = 9, SIGSTOP = 19, SIGNALS = 64 };

static _Bool runs(struct installed handler) { return (uptr)handler.function > 1; }

static _Bool may_change(int number) { return number >= 1 && number <= SIGNALS && number != SIGKILL && number != SIGSTOP; }

/* Where that signal stands, or the first free place. Within a section. */
static u32 place_of(int number)
{
    u32 place = installed;
    for (u32 n = 0; n < HANDLERS; n++)
        if (n < installed && handlers[n].number == number)
            place = n;
    return place;
}

/* What a program inherits is the default, or that a signal is ignored. */
static struct installed earlier(int number, _Bool ignored)
{
    struct installed before = { ignored ? (void *)1 : NULL, 0, number };
    u32 place = place_of(number);
    if (place < installed)
        before = handlers[place];
    return before;
}

/* Puts it in place of the earlier one, which it answers. */
static struct installed change(struct installed new)
{
    struct installed before;
    _Bool ignored = __irkiss_nondet_bool();
    __irkiss_atomic_begin();
    u32 place = place_of(new.number);
    before = earlier(new.number, ignored);
    if (place < installed || runs(new)) {
        if (place >= HANDLERS)
            __irkiss_exceeded("handlers of more than 4 signals");
        handlers[place % HANDLERS] = new;
        if (place == installed)
            installed = place + 1;
    }
    __irkiss_atomic_end();
    if (runs(new))
        irkiss_any_wait_may_end();
    return before;
}

_Bool irkiss_handles_signals(void)
{
    _Bool any = 0;
    __irkiss_atomic_begin();
    for (u32 n = 0; n < HANDLERS; n++)
        any = any || (n < installed && runs(handlers[n]));
    __irkiss_atomic_end();
    return any;
}

/* What signal(7) calls a struct siginfo is arbitrary. */
static void run(struct installed handler)
{
    if (!runs(handler))
        return;
    if (handler.with_details)
        ((void (*)(int, void *, void *))handler.function)(handler.number, __irkiss_lazy(128, "siginfo"), NULL);
    else
        ((void (*)(int))handler.function)(handler.number);
}

/* One of them, or none. */
static void run_some(int number)
{
    u32 now;
    IRKISS_ATOMIC(now = installed);
    for (u32 place = 0; place < HANDLERS; place++) {
        struct installed handler;
        if (place >= now)
            return;
        IRKISS_ATOMIC(handler = handlers[place]);
        if (number == 0 ? __irkiss_nondet_bool() : handler.number == number) {
            run(handler);
            return;
        }
    }
}

IRKISS_COMES_BY_ITSELF
void irkiss_signals(void)
{
    if (__irkiss_nondet_bool())
        run_some(0);
}

void irkiss_raised(int number) { run_some(number); }

/* What was there before. */
IRKISS_ASSUMES("signal-handlers")
void *signal(int number, void *handler)
{
    struct installed new = { handler, 0, number };
    if (may_change(number))
        return change(new).function;
    irkiss_set_errno(EINVAL);
    return (void *)~(uptr)0;
}

void *__sysv_signal(int number, void *handler) { return signal(number, handler); }
void *bsd_signal(int number, void *handler) { return signal(number, handler); }

/* glibc's struct sigaction: the handler, the mask of 128 bytes, the flags (SA_SIGINFO is 4). */
struct action {
    void *handler;
    u8 mask[128];
    int flags;
    void *restorer;
};

IRKISS_ASSUMES("signal-handlers")
int sigaction(int number, const struct action *action, struct action *old)
{
    struct installed before, new = { NULL, 0, number };
    _Bool ignored = __irkiss_nondet_bool();
    if (!may_change(number)) {
        irkiss_set_errno(EINVAL);
        return -1;
    }
    if (action) {
        new.function = action->handler;
        new.with_details = (action->flags & 4) != 0;
        before = change(new);
    } else {
        IRKISS_ATOMIC(before = earlier(number, ignored));
    }
    if (old) {
        __irkiss_havoc(old->mask, sizeof old->mask);
        old->handler = before.function;
        old->flags = before.with_details ? 4 : 0;
    }
    return 0;
}

/* To the caller's own process: a handler runs before it returns. */
int raise(int number)
{
    run_some(number);
    return 0;
}

int kill(int process, int number)
{
    (void)process;
    if (__irkiss_nondet_bool())
        run_some(number);
    return __irkiss_nondet_bool() ? -1 : 0;
}

int pthread_kill(irkiss_thread thread, int number)
{
    (void)thread;
    if (__irkiss_nondet_bool())
        run_some(number);
    return __irkiss_nondet_bool() ? IRKISS_ESRCH : 0;
}

union value {
    int number;
    void *pointer;
};

int sigqueue(int process, int number, union value value) { (void)value; return kill(process, number); }
int pthread_sigqueue(irkiss_thread thread, int number, union value value) { (void)value; return pthread_kill(thread, number); }

unsigned alarm(unsigned seconds) { (void)seconds; return __irkiss_nondet_u32(); }

/* Returns after a handler has run; without one, never. */
int pause(void)
{
    struct installed handler;
    u32 place = __irkiss_nondet_u8() & (HANDLERS - 1);
    irkiss_cancellation_point();
    __irkiss_atomic_begin();
    handler = handlers[place];
    __irkiss_assume(place < installed && runs(handler));
    __irkiss_atomic_end();
    run(handler);
    irkiss_set_errno(4);
    return -1;
}

int sigsuspend(const void *mask) { (void)mask; return pause(); }

/* A signal of the set. */
static int one_of(const u64 *set)
{
    u64 bits = *set;
    u32 bit = __irkiss_nondet_u8() & 63;
    __irkiss_assume((bits >> bit) & 1);
    return (int)bit + 1;
}

IRKISS_ASSUMES("signals-come")
int sigwait(const u64 *set, int *number)
{
    irkiss_cancellation_point();
    *number = one_of(set);
    return 0;
}

IRKISS_ASSUMES("signals-come")
int sigwaitinfo(const u64 *set, int *details)
{
    irkiss_cancellation_point();
    int number = one_of(set);
    if (details) {
        __irkiss_havoc(details, 128);
        *details = number;
    }
    return number;
}

int sigtimedwait(const u64 *set, int *details, const void *timeout)
{
    (void)timeout;
    irkiss_cancellation_point();
    return __irkiss_nondet_bool() ? -1 : sigwaitinfo(set, details);
}

/* ---- Sets: which signals wait is not followed. ---- */
int sigemptyset(void *set) { __builtin_memset(set, 0, 128); return 0; }
int sigfillset(void *set) { __builtin_memset(set, 255, 128); return 0; }

int sigaddset(u64 *set, int number)
{
    if (number < 1 || number > 64)
        return -1;
    set[0] |= 1ull << (number - 1);
    return 0;
}

int sigdelset(u64 *set, int number)
{
    if (number < 1 || number > 64)
        return -1;
    set[0] &= ~(1ull << (number - 1));
    return 0;
}

int sigismember(const u64 *set, int number) { return (set[0] >> ((number - 1) & 63)) & 1; }

int pthread_sigmask(int how, const void *set, void *old)
{
    (void)how;
    irkiss_given(set, sizeof(u64));
    if (old)
        __irkiss_havoc(old, 128);
    return 0;
}

int sigprocmask(int how, const void *set, void *old) { return pthread_sigmask(how, set, old); }

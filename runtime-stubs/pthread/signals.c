/* Signals. A handler runs on a thread that waits or that raises the signal; when it may come between any two steps of a thread, and
 * which thread it is, is not followed. */
#include "irkiss_pthread.h"

/* Functions that are handlers, each once; more are unsupported. */
#define HANDLERS 4

struct installed {
    void (*handler)(int);
    void (*with_details)(int, void *, void *);
    int number;
};

static struct installed handlers[HANDLERS];
static u32 installed;

static void install(int number, void (*handler)(int), void (*with_details)(int, void *, void *))
{
    __irkiss_atomic_begin();
    u32 place = installed;
    if (place >= HANDLERS)
        __irkiss_unsupported("more than 4 handlers of signals");
    handlers[place].handler = handler;
    handlers[place].with_details = with_details;
    handlers[place].number = number;
    installed = place + 1;
    __irkiss_atomic_end();
    irkiss_any_wait_may_end();
}

_Bool irkiss_handles_signals(void)
{
    u32 now;
    IRKISS_ATOMIC(now = installed);
    return now != 0;
}

/* What signal(7) calls a struct siginfo is arbitrary. */
static void run(struct installed handler)
{
    if (handler.handler)
        handler.handler(handler.number);
    else if (handler.with_details)
        handler.with_details(handler.number, __irkiss_lazy(128, "siginfo"), NULL);
}

static void run_number(u32 place)
{
    struct installed handler;
    IRKISS_ATOMIC(handler = handlers[place]);
    run(handler);
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
            if (number == 0)
                return;
        }
    }
}

void irkiss_signals(void)
{
    if (__irkiss_nondet_bool())
        run_some(0);
}

/* What was there before, 0 (the default) or one of the functions. */
IRKISS_ASSUMES("signal-handlers")
void *signal(int number, void *handler)
{
    if ((uptr)handler > 1)
        install(number, (void (*)(int))handler, NULL);
    return __irkiss_nondet_bool() ? (void *)~(uptr)0 : NULL;
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
    if (old) {
        old->handler = NULL;
        old->flags = 0;
    }
    if (!action)
        return 0;
    void *handler = action->handler;
    if ((uptr)handler > 1) {
        if (action->flags & 4)
            install(number, NULL, (void (*)(int, void *, void *))handler);
        else
            install(number, (void (*)(int))handler, NULL);
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

unsigned alarm(unsigned seconds) { (void)seconds; return __irkiss_nondet_u32(); }

/* Returns after a handler has run; without one, never. */
int pause(void)
{
    u32 now;
    irkiss_cancellation_point();
    IRKISS_ATOMIC(now = installed);
    __irkiss_assume(now != 0);
    run_number(0);
    irkiss_set_errno(4);
    return -1;
}

int sigsuspend(const void *mask) { (void)mask; return pause(); }

int sigwait(const void *set, int *number)
{
    (void)set;
    irkiss_cancellation_point();
    *number = (int)(__irkiss_nondet_u8() & 63);
    return 0;
}

int sigwaitinfo(const void *set, void *details)
{
    (void)set;
    if (details)
        __irkiss_havoc(details, 16);
    return (int)(__irkiss_nondet_u8() & 63);
}

int sigtimedwait(const void *set, void *details, const void *timeout)
{
    (void)timeout;
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
    (void)how, (void)set;
    if (old)
        __irkiss_havoc(old, 128);
    return 0;
}

int sigprocmask(int how, const void *set, void *old) { return pthread_sigmask(how, set, old); }

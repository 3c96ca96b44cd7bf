/* Processes, and what is not modelled. */
#include "irkiss_pthread.h"

/* The number of the process: any, the same at each call; 0: nobody has asked yet. */
static u32 own_number;
/* Linux gives no larger ones (PID_MAX_LIMIT). */
#define MOST 0x3fffff

static u32 any_number(void)
{
    u32 number = __irkiss_nondet_u32() & MOST;
    return number ? number : 1;
}

static u32 another_than(u32 number) { return number == 1 ? 2 : 1; }

int getpid(void)
{
    u32 number = any_number();
    __irkiss_atomic_begin();
    if (own_number == 0)
        own_number = number;
    number = own_number;
    __irkiss_atomic_end();
    return (int)number;
}

/* Any number. Usually there are four processors, and pages of 4096 bytes. */
enum { SC_PAGESIZE = 30, SC_PROCESSORS = 83, SC_PROCESSORS_ONLINE = 84 };

long sysconf(int name)
{
    u64 usual = name == SC_PAGESIZE ? 4096 : name == SC_PROCESSORS || name == SC_PROCESSORS_ONLINE ? 4 : 0;
    return (long)(__irkiss_nondet_u64() ^ usual);
}

long __sysconf(int name) { return sysconf(name); }

/* ---- Functions that run around fork (pthread_atfork): more are unsupported. ---- */
#define AROUND 4

static struct around {
    void (*before)(void), (*in_parent)(void), (*in_child)(void);
} around[AROUND];
static u32 registered;

IRKISS_ASSUMES("settings-accepted")
int pthread_atfork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
    struct around new = { before, in_parent, in_child };
    __irkiss_atomic_begin();
    u32 place = registered;
    if (place >= AROUND)
        __irkiss_exceeded("more than 4 calls of pthread_atfork");
    around[place % AROUND] = new;
    registered = place + 1;
    __irkiss_atomic_end();
    return 0;
}

/* The last one first before, the first one first afterwards (POSIX). */
enum when { BEFORE, IN_PARENT, IN_CHILD };

static void run_one(u32 place, enum when when)
{
    struct around one = { NULL, NULL, NULL };
    void (*function)(void);
    __irkiss_atomic_begin();
    if (place < registered)
        one = around[place];
    __irkiss_atomic_end();
    function = when == BEFORE ? one.before : when == IN_PARENT ? one.in_parent : one.in_child;
    if (function)
        function();
}

static void run_around(enum when when)
{
    u32 now;
    IRKISS_ATOMIC(now = registered);
    if (now == 0)
        return;
    for (u32 n = 0; n < AROUND; n++)
        run_one(when == BEFORE ? AROUND - 1 - n : n, when);
}

/* The caller goes on as the parent, or as the child, or fork fails. Of the threads of a process its child has the calling one alone:
 * where there are others, what the child does has nothing to do with them, and is not followed: that it waits for what they hold is not
 * seen. */
int fork(void)
{
    _Bool threads;
    u32 process = any_number(), parent = (u32)getpid();
    run_around(BEFORE);
    if (!__irkiss_nondet_bool()) {
        _Bool fails = __irkiss_nondet_bool();
        if (process == parent)
            process = another_than(parent);
        run_around(IN_PARENT);
        if (!fails) {
            IRKISS_ATOMIC(irkiss_share_files());
            return (int)process;
        }
        irkiss_set_errno(IRKISS_EAGAIN);
        return -1;
    }
    IRKISS_ATOMIC(threads = __irkiss_ghost_get(&__irkiss_thread_state, IRKISS_GHOST_THREADS) != 0);
    if (threads) {
        if (__irkiss_property(IRKISS_DEADLOCK))
            __irkiss_gap("what the child of a process with threads waits for");
        __irkiss_stop();
    }
    __irkiss_atomic_begin();
    own_number = process == own_number ? another_than(own_number) : process;
    irkiss_share_files();
    __irkiss_atomic_end();
    run_around(IN_CHILD);
    return 0;
}

int vfork(void) { return fork(); }

/* The parent ends, the child goes on, or it fails. */
int daemon(int nochdir, int noclose)
{
    (void)nochdir, (void)noclose;
    return fork() == 0 ? 0 : -1;
}

static int wait_for(int *status)
{
    irkiss_signals();
    irkiss_cancellation_point();
    if (__irkiss_nondet_bool())
        return -1;
    if (status)
        *status = (int)(__irkiss_nondet_u32() & 0xffff);
    return (int)(__irkiss_nondet_u32() & 0x3fffffff) + 2;
}

int wait(int *status) { return wait_for(status); }

/* Of one process: its number, 0 if it need not have ended (WNOHANG), or -1. */
int waitpid(int process, int *status, int options)
{
    int ended = wait_for(status);
    if (ended > 0 && (options & 1) && __irkiss_nondet_bool())
        return 0;
    return ended > 0 && process > 0 ? process : ended;
}

int waitid(int kind, u32 number, void *details, int options)
{
    (void)kind, (void)number, (void)options;
    irkiss_signals();
    irkiss_cancellation_point();
    if (details)
        __irkiss_havoc(details, 128);
    return __irkiss_nondet_bool() ? -1 : 0;
}

void __irkiss_print_string(const char *s, u64 precision);

int system(const char *command)
{
    if (command)
        __irkiss_print_string(command, ~0ull);
    irkiss_cancellation_point();
    return (int)__irkiss_nondet_u32();
}

/* What is executed instead has nothing to do with the threads; they come back only if they fail. */
static int execute(const char *path, char *const arguments[])
{
    irkiss_given(path, 1);
    for (int n = 0; arguments && arguments[n]; n++)
        irkiss_given(arguments[n], 1);
    if (__irkiss_nondet_bool())
        __irkiss_stop();
    return -1;
}

int execv(const char *path, char *const arguments[]) { return execute(path, arguments); }
int execvp(const char *path, char *const arguments[]) { return execute(path, arguments); }
int execve(const char *path, char *const arguments[], char *const variables[])
{
    (void)variables;
    return execute(path, arguments);
}
int execl(const char *path, const char *argument, ...) { irkiss_given(argument, 1); return execute(path, NULL); }
int execlp(const char *path, const char *argument, ...) { irkiss_given(argument, 1); return execute(path, NULL); }

IRKISS_ASSUMES("no-jump-back") int _setjmp(void *buffer) { (void)buffer; return 0; }
IRKISS_ASSUMES("no-jump-back") int setjmp(void *buffer) { (void)buffer; return 0; }
IRKISS_ASSUMES("no-jump-back") int __sigsetjmp(void *buffer, int mask) { (void)buffer, (void)mask; return 0; }
__attribute__((noreturn)) void longjmp(void *buffer, int value)
{
    (void)buffer, (void)value;
    __irkiss_unsupported("longjmp");
}

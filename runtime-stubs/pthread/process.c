/* End of the program, time, random numbers, and what is not modelled.
 *
 * The end of the program ends all threads. Here it ends the calling one: the others' further steps could as well have come
 * before it, so no behaviour is added. Handlers of atexit do not run. */
#include "irkiss_internal.h"

__attribute__((noreturn)) void exit(int status) { (void)status; __irkiss_stop(); }
__attribute__((noreturn)) void _exit(int status) { (void)status; __irkiss_stop(); }
__attribute__((noreturn)) void _Exit(int status) { (void)status; __irkiss_stop(); }
__attribute__((noreturn)) void quick_exit(int status) { (void)status; __irkiss_stop(); }
__attribute__((noreturn)) void abort(void) { __irkiss_stop(); }
__attribute__((noreturn)) void __stack_chk_fail(void) { __irkiss_stop(); }
int atexit(void (*handler)(void)) { (void)handler; return 0; }

/* ---- Time passes as it likes. ---- */
int sched_yield(void) { return 0; }
int pthread_yield(void) { return 0; }
unsigned sleep(unsigned seconds) { (void)seconds; return 0; }
int usleep(unsigned microseconds) { (void)microseconds; return 0; }
int nanosleep(const void *duration, void *remaining) { (void)duration, (void)remaining; return 0; }
int clock_nanosleep(int clock, int flags, const void *duration, void *remaining)
{
    (void)clock, (void)flags, (void)duration, (void)remaining;
    return 0;
}

long time(long *out)
{
    long now = (long)__irkiss_nondet_u64();
    if (out)
        *out = now;
    return now;
}

long clock(void) { return (long)__irkiss_nondet_u64(); }

/* struct timespec and struct timeval: two longs. */
int clock_gettime(int clock, void *out)
{
    (void)clock;
    __irkiss_havoc(out, 2 * sizeof(long));
    return 0;
}

int gettimeofday(void *out, void *zone)
{
    (void)zone;
    __irkiss_havoc(out, 2 * sizeof(long));
    return 0;
}

/* ---- Random numbers: arbitrary, not negative. Their hidden state is thread-safe in glibc. ---- */
int rand(void) { return (int)(__irkiss_nondet_u32() & 0x7fffffffu); }
long random(void) { return (long)(__irkiss_nondet_u32() & 0x7fffffffu); }
void srand(unsigned seed) { (void)seed; }
void srandom(unsigned seed) { (void)seed; }

int rand_r(unsigned *seed)
{
    *seed = __irkiss_nondet_u32();
    return (int)(__irkiss_nondet_u32() & 0x7fffffffu);
}

int getpid(void) { return 1; }
char *getenv(const char *name) { (void)name; return __irkiss_nondet_ptr(); }
long sysconf(int name) { (void)name; return (long)__irkiss_nondet_u64(); }

/* ---- Handlers: only "default" (0) and "ignore" (1) are without effect. ---- */
void *signal(int number, void *handler)
{
    (void)number;
    if ((uptr)handler > 1)
        __irkiss_unsupported("signal handler");
    return NULL;
}

int sigaction(int number, const void *action, void *old)
{
    (void)number, (void)old;
    if (action)
        __irkiss_unsupported("sigaction");
    return 0;
}

int fork(void) { __irkiss_unsupported("fork"); }
int _setjmp(void *buffer) { (void)buffer; return 0; }
int setjmp(void *buffer) { (void)buffer; return 0; }
int __sigsetjmp(void *buffer, int mask) { (void)buffer, (void)mask; return 0; }
__attribute__((noreturn)) void longjmp(void *buffer, int value)
{
    (void)buffer, (void)value;
    __irkiss_unsupported("longjmp");
}

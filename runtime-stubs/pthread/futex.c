/* Calls of the system by number: futexes, by which programs make locks of their own. Of others it is not known what they do. */
#include "irkiss_pthread.h"

#if defined(__x86_64__)
enum { FUTEX = 202, GETTID = 186 };
#elif defined(__aarch64__)
enum { FUTEX = 98, GETTID = 178 };
#elif defined(__i386__) || defined(__arm__)
enum { FUTEX = 240, GETTID = 224 };
#elif defined(__s390x__)
enum { FUTEX = 238, GETTID = 236 };
#elif defined(__powerpc__)
enum { FUTEX = 221, GETTID = 207 };
#else
enum { FUTEX = 235, GETTID = 221 };
#endif

/* include/uapi/linux/futex.h; the flags are FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME. */
enum { WAIT = 0, WAKE = 1, WAIT_BITSET = 9, WAKE_BITSET = 10, FLAGS = 128 | 256 };

/* kernel/futex/waitwake.c: futex_wait_setup reads the word and queues the caller in one step. A wait may end by itself (futex(2)); who
 * waits with a limit does not wait for ever. */
static long wait_at(const volatile u32 *word, u32 value, const void *limit)
{
    _Bool equal;
    irkiss_signals();
    IRKISS_ATOMIC(equal = *word == value);
    if (!equal) {
        irkiss_set_errno(IRKISS_EAGAIN);
        return -1;
    }
    if (!limit)
        IRKISS_MAY_STAY((const void *)word, IRKISS_AWAITS_EVENT, *word == value);
    else if (__irkiss_nondet_bool()) {
        irkiss_set_errno(IRKISS_ETIMEDOUT);
        return -1;
    }
    return 0;
}

static long wake_at(const void *word, u32 most)
{
    u32 woken = __irkiss_nondet_u32();
    if (most != 0)
        IRKISS_ATOMIC(irkiss_event(word));
    return woken <= most ? (long)(woken & 0xffff) : 0;
}

long syscall(long number, ...)
{
    __builtin_va_list rest;
    long answer = 0;
    if (number == GETTID)
        return (long)__irkiss_self() + 2;
    if (number != FUTEX) {
        __irkiss_gap("a call of the system by its number");
        return (long)__irkiss_nondet_u64();
    }
    __builtin_va_start(rest, number);
    u32 *word = __builtin_va_arg(rest, u32 *);
    int operation = __builtin_va_arg(rest, int);
    u32 value = __builtin_va_arg(rest, u32);
    const void *limit = NULL;
    operation &= ~FLAGS;
    if (operation == WAIT || operation == WAIT_BITSET)
        limit = __builtin_va_arg(rest, const void *);
    __builtin_va_end(rest);
    if (operation == WAIT || operation == WAIT_BITSET)
        answer = wait_at(word, value, limit);
    else if (operation == WAKE || operation == WAKE_BITSET)
        answer = wake_at(word, value);
    else
        __irkiss_gap("a futex that hands over, or has an owner");
    return answer;
}

/* Waiting: a sleeping thread may go on at any time (wake-ups may be spurious, and what is waited for is tested again by the
 * caller); only completions keep a count, because their callers do not test again. */
#include "irkiss_linux.h"

/* kernel/sched/wait.c: its lock, which it begins with, and its list. */
void __init_waitqueue_head(void *queue, const char *, void *)
{
    irkiss_make_free(queue);
}

void init_wait_entry(void *, int)
{
}

long prepare_to_wait_event(void *queue, void *, int)
{
    irkiss_looks_at(queue);
    return __irkiss_nondet_bool() ? -ERESTARTSYS : 0;
}

void prepare_to_wait(void *queue, void *, int)
{
    irkiss_looks_at(queue);
}

_Bool prepare_to_wait_exclusive(void *queue, void *, int)
{
    irkiss_looks_at(queue);
    return __irkiss_nondet_bool();
}

void finish_wait(void *, void *)
{
}

void add_wait_queue(void *queue, void *)
{
    irkiss_looks_at(queue);
}

/* kernel/sched/wait.c: wakes who sleeps, which may go on at any time as it is; how many it woke, from 6.6 on. */
int __wake_up(void *queue, unsigned int, int, void *)
{
    irkiss_looks_at(queue);
    return (int)(__irkiss_nondet_u32() & 0x7fffffff);
}

void __wake_up_sync(void *queue, unsigned int)
{
    irkiss_looks_at(queue);
}

void remove_wait_queue(void *, void *)
{
}

void __wake_up_locked(void *, unsigned int, int)
{
}

void schedule(void)
{
}

/* At most what was asked for is left. */
long schedule_timeout(long timeout)
{
    long left = (long)(ssize)__irkiss_nondet_u64();
    __irkiss_assume(left >= 0 && (timeout < 0 || left <= timeout));
    return left;
}

long schedule_timeout_interruptible(long timeout)
{
    return schedule_timeout(timeout);
}

long schedule_timeout_uninterruptible(long timeout)
{
    return schedule_timeout(timeout);
}

/* poll_wait only registers the caller for wake-ups. */
void irkiss_model__poll_wait(void *, void *, void *)
{
}

void kill_fasync(void **, int, int)
{
}

int fasync_helper(int, void *, int, void **)
{
    return irkiss_may_fail(ENOMEM);
}

/* ---- Completions. struct completion starts with its count (kernel/sched/completion.c), which inline functions of the driver
 * set as well, so the count is the memory itself. ---- */
#define DONE(x) (*(u32 *)(x))
#define DONE_ALL 0x7fffffffu

void complete(void *x)
{
    __irkiss_atomic_begin();
    if (DONE(x) != DONE_ALL)
        DONE(x)++;
    __irkiss_atomic_end();
}

void complete_all(void *x)
{
    IRKISS_ATOMIC(DONE(x) = DONE_ALL);
}

/* Within an atomic section. */
static void consume(void *x)
{
    if (DONE(x) != DONE_ALL)
        DONE(x)--;
}

/* What initialisation waits for comes from handlers, which do not run beside it here: what was armed to bring it has run, then. */
IRKISS_ASSUMES("answers-come")
void irkiss_answer(void)
{
    __irkiss_answered();
}

void wait_for_completion(void *x)
{
    _Bool comes = __irkiss_sets_up() && __irkiss_nondet_bool(), done;
    __irkiss_atomic_begin();
    done = DONE(x) != 0;
    __irkiss_assume(comes || done);
    if (done)
        consume(x);
    __irkiss_atomic_end();
    if (!done)
        irkiss_answer();
}

int wait_for_completion_interruptible(void *x)
{
    if (__irkiss_nondet_bool())
        return -ERESTARTSYS;
    wait_for_completion(x);
    return 0;
}

int wait_for_completion_killable(void *x)
{
    return wait_for_completion_interruptible(x);
}

unsigned long wait_for_completion_timeout(void *x, unsigned long)
{
    if (__irkiss_nondet_bool())
        return 0;
    wait_for_completion(x);
    return 1;
}

long wait_for_completion_interruptible_timeout(void *x, unsigned long timeout)
{
    if (__irkiss_nondet_bool())
        return -ERESTARTSYS;
    return (long)wait_for_completion_timeout(x, timeout);
}

_Bool try_wait_for_completion(void *x)
{
    _Bool done;
    __irkiss_atomic_begin();
    done = DONE(x) != 0;
    if (done)
        consume(x);
    __irkiss_atomic_end();
    return done;
}

_Bool completion_done(void *x)
{
    _Bool done;
    IRKISS_ATOMIC(done = DONE(x) != 0);
    return done;
}

/* ---- Delays. ---- */
void msleep(unsigned int)
{
}

/* Milliseconds left. */
unsigned long msleep_interruptible(unsigned int)
{
    return __irkiss_nondet_u32();
}

void usleep_range_state(unsigned long, unsigned long, unsigned int)
{
}

void __udelay(unsigned long)
{
}

void __ndelay(unsigned long)
{
}

void __const_udelay(unsigned long)
{
}

void native_io_delay(void)
{
}

/* ---- Bits that are waited for (kernel/sched/wait_bit.c). ---- */
static _Bool bit_set(const void *word, int bit)
{
    return (*(const unsigned long *)word >> (unsigned int)bit & 1) != 0;
}

int out_of_line_wait_on_bit(void *word, int bit, void *, unsigned int)
{
    if (__irkiss_nondet_bool())
        return -EINTR;
    IRKISS_ATOMIC(__irkiss_assume(!bit_set(word, bit)));
    return 0;
}

/* Who waits for a bit that is a lock sets it, or is told to stop; with TASK_UNINTERRUPTIBLE (2) bit_wait does not. */
int out_of_line_wait_on_bit_lock(void *word, int bit, void *, unsigned int mode)
{
    if (mode != 2 && __irkiss_nondet_bool())
        return -EINTR;
    IRKISS_ATOMIC(__irkiss_assume(!bit_set(word, bit)); *(unsigned long *)word |= 1ul << (unsigned int)bit);
    return 0;
}

int out_of_line_wait_on_bit_timeout(void *word, int bit, void *action, unsigned int mode, unsigned long)
{
    return __irkiss_nondet_bool() ? -EAGAIN : out_of_line_wait_on_bit(word, bit, action, mode);
}

/* Files, by name and by number: what they answer is arbitrary, what they are given is read, and a thread may be cancelled there (POSIX:
 * 2.9.5.2). Mappings of files. */
#include "irkiss_pthread.h"

void __irkiss_print_string(const char *s, u64 precision);
ssize irkiss_read(void *bytes, usize count);
ssize irkiss_written(usize most);

static _Bool fails(void)
{
    if (!__irkiss_nondet_bool())
        return 0;
    irkiss_set_errno((int)(__irkiss_nondet_u8() & 127));
    return 1;
}

static int zero_or_error(void) { return fails() ? -1 : 0; }
static int number(void) { return fails() ? -1 : (int)(__irkiss_nondet_u32() & 511); }

static int opened(const char *path)
{
    irkiss_cancellation_point();
    __irkiss_print_string(path, ~0ull);
    return number();
}

int open(const char *path, int flags, ...) { (void)flags; return opened(path); }
int open64(const char *path, int flags, ...) { (void)flags; return opened(path); }
int openat(int folder, const char *path, int flags, ...) { (void)folder, (void)flags; return opened(path); }
int creat(const char *path, u32 mode) { (void)mode; return opened(path); }

/* Waits that may be long. */
static int waited(void)
{
    irkiss_signals();
    irkiss_cancellation_point();
    return zero_or_error();
}

int fsync(int file) { (void)file; return waited(); }
int fdatasync(int file) { (void)file; return waited(); }
int lockf(int file, int command, long length) { (void)file, (void)command, (void)length; return waited(); }
int tcdrain(int file) { (void)file; return waited(); }
int msync(void *area, usize length, int flags) { (void)area, (void)length, (void)flags; return waited(); }

/* A lock of a file, for each time that it was opened: which numbers have the same file is not followed. Beside other threads that says
 * what they may do. */
enum { UNLOCK = 8 };

int flock(int file, int how)
{
    _Bool threads;
    (void)file;
    if (how & UNLOCK)
        return zero_or_error();
    irkiss_signals();
    if (fails())
        return -1;
    IRKISS_ATOMIC(threads = __irkiss_ghost_get(&__irkiss_thread_state, IRKISS_GHOST_THREADS) != 0);
    if (threads)
        __irkiss_unsupported("locks of files beside other threads (flock)");
    return 0;
}

/* How much was done of what was asked for; -1: it failed. */
static ssize done(usize most)
{
    u64 bytes = __irkiss_nondet_u64();
    if (fails())
        return -1;
    return (ssize)(bytes <= most ? bytes : most);
}

/* From where the offset says, which goes on. */
ssize sendfile(int to, int from, long *offset, usize count)
{
    (void)to, (void)from;
    ssize sent = done(count);
    if (offset) {
        long before = *offset;
        if (sent > 0)
            *offset = before + sent;
    }
    return sent;
}

ssize sendfile64(int to, int from, long *offset, usize count) { return sendfile(to, from, offset, count); }

/* ---- Timers that are files: struct itimerspec has four longs. ---- */
#define TIMER (4 * sizeof(long))

int timerfd_settime(int timer, int flags, const void *new, void *old)
{
    (void)timer, (void)flags;
    __irkiss_touch(new, TIMER);
    if (fails())
        return -1;
    if (old)
        __irkiss_havoc(old, TIMER);
    return 0;
}

int timerfd_gettime(int timer, void *now)
{
    (void)timer;
    if (fails())
        return -1;
    __irkiss_havoc(now, TIMER);
    return 0;
}

/* ---- Mappings: memory of their own. What no file is behind is zero. Where the result is not looked at, they do not fail. ---- */
enum { ANONYMOUS = 0x20, FIXED = 0x10, ENOMEM = 12 };
#define PAGE 4096

static usize pages(usize length) { return (length + PAGE - 1) / PAGE; }

IRKISS_ASSUMES("allocation-succeeds")
void *mmap(void *at, usize length, int protection, int flags, int file, long offset)
{
    (void)protection, (void)file, (void)offset;
    if (flags & FIXED)
        return at;
    if (flags & ANONYMOUS)
        return irkiss_allocate(length, 1);
    return irkiss_allocate(length, 0);
}

IRKISS_ASSUMES("allocation-succeeds")
void *mmap64(void *at, usize length, int protection, int flags, int file, long offset)
{
    return mmap(at, length, protection, flags, file, offset);
}

void *irkiss_asked__mmap(void *at, usize length, int protection, int flags, int file, long offset)
{
    if (__irkiss_nondet_bool()) {
        irkiss_set_errno(ENOMEM);
        return (void *)~(uptr)0;
    }
    return mmap(at, length, protection, flags, file, offset);
}

void *irkiss_asked__mmap64(void *at, usize length, int protection, int flags, int file, long offset)
{
    return irkiss_asked__mmap(at, length, protection, flags, file, offset);
}

/* Of one that is given back in part all is kept. */
int munmap(void *area, usize length)
{
    u64 whole;
    IRKISS_ATOMIC(whole = __irkiss_ghost_get(area, IRKISS_GHOST_LIMIT));
    if (whole != 0 && pages((usize)whole) == pages(length))
        __irkiss_free(area);
    return 0;
}

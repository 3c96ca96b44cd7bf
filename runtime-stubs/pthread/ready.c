/* Waits for one of many files: poll, select, epoll. Which of them are ready is arbitrary, but for what is known of pipes, pairs of sockets
 * and eventfds (pipes.c). */
#include "irkiss_pthread.h"
#include "irkiss_files.h"

enum { EINTR = 4 };

struct pollfd {
    int file;
    short events, got;
};
enum { POLLIN = 1, POLLHUP = 16 };

/* POLLERR, POLLHUP and POLLNVAL come unasked; epoll has the same numbers. */
enum { UNASKED = 0x38 };

/* Of any events those that may be told of a file now. Within a section. */
static u32 ready_for(int file, u32 asked, u32 any)
{
    enum irkiss_readable readable = irkiss_is_known_file(file) ? irkiss_readable(file) : IRKISS_PERHAPS_READABLE;
    /* Nothing is wrong with one that is known to be open. */
    if (readable != IRKISS_PERHAPS_READABLE)
        any &= ~(u32)(UNASKED & ~POLLHUP);
    if (readable == IRKISS_READABLE)
        any |= POLLIN;
    else if (readable == IRKISS_NOT_READABLE)
        any &= ~(u32)(POLLIN | POLLHUP);
    return any & (asked | UNASKED);
}

/* What a wait without a limit waits for. */
struct awaited {
    /* Files of which it is known whether they are readable, as irkiss_may_stay_for has them. */
    u32 known;
    /* Whether it may end for another reason: a file of which nothing is known, or another event. */
    _Bool others;
};

/* Within a section. */
static void await(struct awaited *all, int file, u32 events)
{
    if (file < 0)
        return;
    if (irkiss_is_known_file(file) && !(events & ~(u32)(POLLIN | UNASKED)))
        all->known |= 1u << ((u32)(file - IRKISS_FIRST_FILE) % IRKISS_FILES);
    else
        all->others = 1;
}

static void may_stay(struct awaited all)
{
    if (!all.others)
        irkiss_may_stay_for(all.known);
}

static void may_stay_at_poll(const struct pollfd *files, unsigned long count)
{
    struct awaited all = { 0, 0 };
    if (!__irkiss_property(IRKISS_DEADLOCK))
        return;
    IRKISS_FOLLOWED
    for (unsigned long n = 0; n < count; n++) {
        struct pollfd asked = files[n];
        IRKISS_ATOMIC(await(&all, asked.file, (u16)asked.events));
    }
    may_stay(all);
}

/* Where the result is looked at, it may be cut short (below). */
IRKISS_ASSUMES("waits-complete")
int poll(struct pollfd *files, unsigned long count, int timeout)
{
    u32 ready = 0;
    irkiss_signals();
    irkiss_cancellation_point();
    if (timeout < 0)
        may_stay_at_poll(files, count);
    IRKISS_FOLLOWED
    for (unsigned long n = 0; n < count; n++) {
        struct pollfd asked = files[n];
        u32 any = (u16)~__irkiss_nondet_u16();
        short got;
        IRKISS_ATOMIC(got = asked.file < 0 ? 0 : (short)ready_for(asked.file, (u16)asked.events, any));
        files[n].got = got;
        ready += got != 0;
    }
    /* Without a limit it ends when something is ready. */
    __irkiss_assume(timeout >= 0 || ready != 0);
    return (int)ready;
}

IRKISS_ASSUMES("waits-complete")
int ppoll(struct pollfd *files, unsigned long count, const void *timeout, const void *mask)
{
    irkiss_given(timeout, IRKISS_TIME_BYTES);
    irkiss_given(mask, sizeof(u64));
    return poll(files, count, timeout ? 0 : -1);
}

static _Bool is_cut_short(void)
{
    if (!__irkiss_nondet_bool())
        return 0;
    irkiss_set_errno(EINTR);
    return 1;
}

int irkiss_asked__poll(struct pollfd *files, unsigned long count, int timeout)
{
    return is_cut_short() ? -1 : poll(files, count, timeout);
}

int irkiss_asked__ppoll(struct pollfd *files, unsigned long count, const void *timeout, const void *mask)
{
    return is_cut_short() ? -1 : ppoll(files, count, timeout, mask);
}

/* ---- select: fd_set has 1024 bits, of which the last 64 stand for the files that are known, too. ---- */
#define WORD 64
#define WORDS 16

/* Those of the last word that may be told now. Within a section. */
static u64 ready_of_known(u64 asked, u64 got)
{
    IRKISS_TO_THE_END
    for (int n = 0; n < WORD; n++) {
        u64 bit = 1ull << n;
        if (asked & bit) {
            enum irkiss_readable readable = irkiss_is_known_file((WORDS - 1) * WORD + n) ? irkiss_readable((WORDS - 1) * WORD + n) : IRKISS_PERHAPS_READABLE;
            got = readable == IRKISS_READABLE ? got | bit : readable == IRKISS_NOT_READABLE ? got & ~bit : got;
        }
    }
    return got;
}

/* Leaves some of those that were asked for; how many. */
static u32 some(u64 *set, _Bool to_read)
{
    u32 ready = 0;
    if (!set)
        return 0;
    IRKISS_TO_THE_END
    for (int n = 0; n < WORDS; n++) {
        u64 asked = set[n], got = asked;
        if (asked != 0) {
            got &= ~__irkiss_nondet_u64();
            if (to_read && n == WORDS - 1)
                IRKISS_ATOMIC(got = ready_of_known(asked, got));
            set[n] = got;
            ready += (u32)__builtin_popcountll(got);
        }
    }
    return ready;
}

/* Within a section. */
static void await_all(struct awaited *all, const u64 *set, _Bool to_read)
{
    if (!set)
        return;
    IRKISS_TO_THE_END
    for (int n = 0; n < WORDS - 1; n++)
        all->others |= set[n] != 0;
    if (!to_read)
        all->others |= set[WORDS - 1] != 0;
    IRKISS_TO_THE_END
    for (int n = 0; n < WORD; n++)
        if (to_read && set[WORDS - 1] >> n & 1)
            await(all, (WORDS - 1) * WORD + n, POLLIN);
}

static void may_stay_at_select(const u64 *to_read, const u64 *to_write, const u64 *others)
{
    struct awaited all = { 0, 0 };
    if (!__irkiss_property(IRKISS_DEADLOCK))
        return;
    __irkiss_atomic_begin();
    await_all(&all, to_read, 1);
    await_all(&all, to_write, 0);
    await_all(&all, others, 0);
    __irkiss_atomic_end();
    may_stay(all);
}

static int select_until(u64 *to_read, u64 *to_write, u64 *others, _Bool timeout)
{
    u32 ready;
    irkiss_signals();
    irkiss_cancellation_point();
    if (is_cut_short())
        return -1;
    if (!timeout)
        may_stay_at_select(to_read, to_write, others);
    ready = some(to_read, 1);
    ready += some(to_write, 0);
    ready += some(others, 0);
    /* Without a limit it ends when something is ready. */
    __irkiss_assume(timeout || ready != 0);
    return (int)ready;
}

int select(int count, void *to_read, void *to_write, void *others, void *timeout)
{
    (void)count;
    /* Linux leaves there what was left of it. */
    irkiss_given(timeout, IRKISS_TIME_BYTES);
    if (timeout)
        __irkiss_havoc(timeout, IRKISS_TIME_BYTES);
    return select_until(to_read, to_write, others, timeout != NULL);
}

int pselect(int count, void *to_read, void *to_write, void *others, const void *timeout, const void *mask)
{
    (void)count;
    irkiss_given(timeout, IRKISS_TIME_BYTES);
    irkiss_given(mask, sizeof(u64));
    return select_until(to_read, to_write, others, timeout != NULL);
}

/* ---- epoll: what has been asked for. ---- */
/* struct epoll_event is packed on x86. */
struct epoll_event {
    u32 events;
    u64 data;
} __attribute__((packed));

/* EPOLL_CTL_ADD and others; EPOLLONESHOT. */
enum { ADD = 1, REMOVE = 2, ONCE = 1 << 30 };
#define WATCHED 8
static struct watched {
    int by, file;
    u32 events;
    u64 data;
} watched[WATCHED];
static u32 watches;

/* Within a section. */
static void watch(int number, int file, struct epoll_event event)
{
    u32 n = watches;
    if (n >= WATCHED) {
        __irkiss_exceeded("more than 8 files that epoll watches");
        return;
    }
    watches = n + 1;
    watched[n] = (struct watched){number, file, event.events, event.data};
}

static void watch_otherwise(int number, int file, struct epoll_event event)
{
    IRKISS_TO_THE_END
    for (u32 n = 0; n < WATCHED; n++) {
        if (n < watches && watched[n].by == number && watched[n].file == file) {
            watched[n].events = event.events;
            watched[n].data = event.data;
        }
    }
}

IRKISS_ASSUMES("settings-accepted")
int epoll_ctl(int number, int command, int file, const struct epoll_event *event)
{
    struct epoll_event asked = {0, 0};
    if (command != REMOVE)
        asked = *event;
    __irkiss_atomic_begin();
    if (command == ADD)
        watch(number, file, asked);
    else
        watch_otherwise(number, file, asked);
    __irkiss_atomic_end();
    return 0;
}

/* What is told, as far as there is room; within a section. Events of 0 stand for one that is not watched any more. */
static u32 ready_of_watched(int number, struct epoll_event *told, u32 most)
{
    u32 count = 0;
    IRKISS_TO_THE_END
    for (u32 n = 0; n < WATCHED; n++) {
        if (n < watches && watched[n].by == number && watched[n].events != 0 && count < most) {
            u32 got = ready_for(watched[n].file, watched[n].events & 0xffff, ~__irkiss_nondet_u32() & 0xffff);
            if (got) {
                told[count].events = got;
                told[count].data = watched[n].data;
                count++;
                if (watched[n].events & (u32)ONCE)
                    watched[n].events = 0;
            }
        }
    }
    return count;
}

static void may_stay_at_epoll(int number)
{
    struct awaited all = { 0, 0 };
    if (!__irkiss_property(IRKISS_DEADLOCK))
        return;
    __irkiss_atomic_begin();
    IRKISS_TO_THE_END
    for (u32 n = 0; n < WATCHED; n++)
        if (n < watches && watched[n].by == number && watched[n].events != 0)
            await(&all, watched[n].file, watched[n].events & 0xffff);
    __irkiss_atomic_end();
    may_stay(all);
}

int epoll_wait(int number, struct epoll_event *events, int most, int timeout)
{
    struct epoll_event told[WATCHED];
    u32 count;
    irkiss_signals();
    irkiss_cancellation_point();
    if (is_cut_short())
        return -1;
    if (timeout < 0)
        may_stay_at_epoll(number);
    __irkiss_atomic_begin();
    count = ready_of_watched(number, told, most < 0 ? 0 : (u32)most);
    /* Without a limit it ends when something is ready. */
    __irkiss_assume(timeout >= 0 || count != 0);
    __irkiss_atomic_end();
    IRKISS_TO_THE_END
    for (u32 n = 0; n < WATCHED; n++) {
        if (n < count)
            events[n] = told[n];
    }
    return (int)count;
}

int epoll_pwait(int number, struct epoll_event *events, int most, int timeout, const void *mask)
{
    irkiss_given(mask, sizeof(u64));
    return epoll_wait(number, events, most, timeout);
}

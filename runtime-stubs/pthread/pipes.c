/* Files that one thread writes and another reads: pipes, pairs of sockets, eventfds. What is written can be read afterwards, and who
 * reads an empty one waits. Of other files nothing is known: what is read there is arbitrary, and there at once. Of each pipe the first
 * bytes are followed; what is read beyond these is arbitrary.
 *
 * IRKISS_GHOST_KIND at the number of a file, as an address beside this object: what it is; IRKISS_GHOST_HANDLE: the number of the
 * end where it is read (of a socket: at the other side); IRKISS_GHOST_SIGNALS at that number: bytes that are there to be read. */
#include "irkiss_pthread.h"

ssize irkiss_read(void *bytes, usize count);
ssize send(int socket, const void *bytes, usize count, int flags);

enum { UNKNOWN = 0, PIPE = 1, EVENTS = 2, PERMITS = 3 };
enum { EINTR = 4, EMFILE = 24 };
enum { CLOSED_KEY = IRKISS_GHOST_PTHREAD + 1, PROMPT_KEY = IRKISS_GHOST_PTHREAD + 5 };
/* Who reads an empty one does not wait, or it is not known. */
enum { PROMPT = 1, MAYBE = 2 };
/* Flags of Linux: O_NONBLOCK, SOCK_NONBLOCK, EFD_NONBLOCK are one, EFD_SEMAPHORE. */
enum { NONBLOCK = 04000, SEMAPHORE = 1 };

/* Files of a program that are known, by number. */
#define FILES 16
static u8 files[FILES];
static u32 made;

static const void *file_of(int number) { return &files[number - 1000]; }
static _Bool is_known(int number) { return number >= 1000 && number < 1000 + FILES; }

/* Two numbers, in a row. */
static int make(u32 count)
{
    u32 first;
    __irkiss_atomic_begin();
    first = made;
    made = first + count;
    __irkiss_atomic_end();
    if (first + count > FILES)
        __irkiss_exceeded("more than 16 ends of pipes");
    return 1000 + (int)first;
}

/* Where the result is looked at, they may fail (below). */
IRKISS_ASSUMES("settings-accepted")
int pipe(int ends[2])
{
    int first = make(2);
    __irkiss_atomic_begin();
    __irkiss_ghost_set(file_of(first), IRKISS_GHOST_KIND, PIPE);
    __irkiss_ghost_set(file_of(first + 1), IRKISS_GHOST_KIND, PIPE);
    __irkiss_ghost_set(file_of(first + 1), IRKISS_GHOST_HANDLE, (u64)first);
    __irkiss_atomic_end();
    ends[0] = first;
    ends[1] = first + 1;
    return 0;
}

/* Who reads does not wait. */
static void be_prompt(int number, int flags)
{
    if (flags & NONBLOCK)
        IRKISS_ATOMIC(__irkiss_ghost_set(file_of(number), PROMPT_KEY, PROMPT));
}

IRKISS_ASSUMES("settings-accepted")
int pipe2(int ends[2], int flags)
{
    pipe(ends);
    be_prompt(ends[0], flags);
    return 0;
}

IRKISS_ASSUMES("settings-accepted")
int socketpair(int domain, int type, int protocol, int ends[2])
{
    (void)domain, (void)protocol;
    pipe(ends);
    be_prompt(ends[0], type);
    be_prompt(ends[1], type);
    IRKISS_ATOMIC(__irkiss_ghost_set(file_of(ends[0]), IRKISS_GHOST_HANDLE, (u64)ends[1]));
    return 0;
}

IRKISS_ASSUMES("settings-accepted")
int eventfd(unsigned value, int flags)
{
    int number = make(1);
    __irkiss_atomic_begin();
    __irkiss_ghost_set(file_of(number), IRKISS_GHOST_KIND, flags & SEMAPHORE ? PERMITS : EVENTS);
    __irkiss_ghost_set(file_of(number), IRKISS_GHOST_SIGNALS, value);
    __irkiss_ghost_set(file_of(number), IRKISS_GHOST_HANDLE, (u64)number);
    __irkiss_atomic_end();
    be_prompt(number, flags);
    return number;
}

static _Bool no_more_files(void)
{
    if (!__irkiss_nondet_bool())
        return 0;
    irkiss_set_errno(EMFILE);
    return 1;
}

int irkiss_asked__pipe(int ends[2]) { return no_more_files() ? -1 : pipe(ends); }
int irkiss_asked__pipe2(int ends[2], int flags) { return no_more_files() ? -1 : pipe2(ends, flags); }
int irkiss_asked__eventfd(unsigned value, int flags) { return no_more_files() ? -1 : eventfd(value, flags); }
int irkiss_asked__socketpair(int domain, int type, int protocol, int ends[2])
{
    return no_more_files() ? -1 : socketpair(domain, type, protocol, ends);
}

/* Of each file the bytes that have been written to it, and the counter of an eventfd. */
#define ROOM 64
static u8 contents[FILES][ROOM];
enum { READ_KEY = IRKISS_GHOST_PTHREAD + 3 };

/* A copy that the program takes no part in; within a section. */
static void move(u8 *to, const u8 *from, u64 count)
{
    IRKISS_TO_THE_END
    for (u64 n = 0; n < count; n++)
        to[n] = from[n];
}

static void put(int number, const u8 *bytes, u64 count)
{
    const void *file = file_of(number);
    u64 start = __irkiss_ghost_get(file, READ_KEY), there = __irkiss_ghost_get(file, IRKISS_GHOST_SIGNALS);
    if (start + there < ROOM)
        move(contents[number - 1000] + start + there, bytes, start + there + count < ROOM ? count : ROOM - start - there);
    IRKISS_CHANGES(file, __irkiss_ghost_set(file, IRKISS_GHOST_SIGNALS, there + count));
}

/* All of what is asked for is written (pipe(7): up to PIPE_BUF as a whole), or nothing. */
static ssize write_known(int number, const void *bytes, usize count)
{
    u8 own[ROOM];
    u64 value = 0;
    if (count > ROOM)
        __irkiss_touch(bytes, count);
    __builtin_memcpy(own, bytes, count < ROOM ? count : ROOM);
    if (count >= 8)
        __builtin_memcpy(&value, own, 8);
    __irkiss_atomic_begin();
    u64 to = __irkiss_ghost_get(file_of(number), IRKISS_GHOST_HANDLE);
    if (__irkiss_ghost_get(file_of(number), IRKISS_GHOST_KIND) >= EVENTS) {
        u64 there = __irkiss_ghost_get(file_of(number), IRKISS_GHOST_SIGNALS);
        IRKISS_CHANGES(file_of(number), __irkiss_ghost_set(file_of(number), IRKISS_GHOST_SIGNALS, there + value));
    } else if (to) {
        put((int)to, own, count);
    }
    __irkiss_atomic_end();
    return (ssize)count;
}

ssize write(int number, const void *bytes, usize count)
{
    irkiss_cancellation_point();
    return is_known(number) ? write_known(number, bytes, count) : send(number, bytes, count, 0);
}

/* Where the result is looked at. */
ssize irkiss_asked__write(int number, const void *bytes, usize count)
{
    if (is_known(number) && __irkiss_nondet_bool()) {
        irkiss_set_errno(EINTR);
        return -1;
    }
    return write(number, bytes, count);
}

/* Whether who reads there waits. Within a section. */
static _Bool is_empty(const void *file)
{
    return __irkiss_ghost_get(file, IRKISS_GHOST_SIGNALS) == 0 && __irkiss_ghost_get(file, CLOSED_KEY) == 0;
}

/* Whether who reads there need not wait. */
static _Bool is_prompt(const void *file)
{
    u64 prompt;
    _Bool empty;
    IRKISS_ATOMIC(empty = is_empty(file); prompt = __irkiss_ghost_get(file, PROMPT_KEY));
    return empty && (prompt == PROMPT || (prompt == MAYBE && __irkiss_nondet_bool()));
}

/* Whether another process, or another number, may lead to the same files: what is written there is not followed. */
static _Bool others_write(void) { return irkiss_of_all(IRKISS_GHOST_FILES_SHARED) != 0; }

/* Before a read that waits: the thread may wait for ever. */
static void may_stay(const void *file)
{
    if (__irkiss_property(IRKISS_DEADLOCK)) {
        if (__irkiss_nondet_bool()) {
            __irkiss_atomic_begin();
            __irkiss_assume(is_empty(file) && !others_write() && __irkiss_ghost_get(file, PROMPT_KEY) == 0);
            irkiss_add_to_all(IRKISS_GHOST_FILES_AWAITED, 1);
            irkiss_waits_for(file, IRKISS_AWAITS_PERMIT);
            __irkiss_atomic_end();
            __irkiss_stop();
        }
    }
}

static u64 taken(u64 kind, u64 there, u64 most)
{
    return kind == EVENTS ? there : kind == PERMITS ? there != 0 : there < most ? there : most;
}

/* Once the other end is closed, what is left is read, and then the end of the file. */
static ssize read_known(int number, void *bytes, usize count)
{
    u8 own[ROOM];
    const void *file = file_of(number);
    u64 there, got, start, kind;
    _Bool shared;
    IRKISS_ATOMIC(shared = others_write());
    if (shared && __irkiss_nondet_bool())
        return irkiss_read(bytes, count);
    if (is_prompt(file)) {
        irkiss_set_errno(IRKISS_EAGAIN);
        return -1;
    }
    may_stay(file);
    __irkiss_atomic_begin();
    kind = __irkiss_ghost_get(file, IRKISS_GHOST_KIND);
    there = __irkiss_ghost_get(file, IRKISS_GHOST_SIGNALS);
    start = __irkiss_ghost_get(file, READ_KEY);
    __irkiss_assume(!is_empty(file));
    got = taken(kind, there, count);
    if (kind == PIPE && start < ROOM)
        move(own, contents[number - 1000] + start, start + got < ROOM ? got : ROOM - start);
    IRKISS_CHANGES(file, __irkiss_ghost_set(file, IRKISS_GHOST_SIGNALS, there - got));
    __irkiss_ghost_set(file, READ_KEY, kind == PIPE ? start + got : 0);
    __irkiss_atomic_end();
    if (kind != PIPE) {
        __builtin_memcpy(bytes, &got, 8);
        return 8;
    }
    if (start + got <= ROOM)
        __builtin_memcpy(bytes, own, got);
    else
        __irkiss_havoc(bytes, got);
    return (ssize)got;
}

ssize read(int number, void *bytes, usize count)
{
    irkiss_signals();
    irkiss_cancellation_point();
    return is_known(number) ? read_known(number, bytes, count) : irkiss_read(bytes, count);
}

/* A thread waits until it is interrupted, or there is something. */
ssize irkiss_asked__read(int number, void *bytes, usize count)
{
    if (is_known(number) && irkiss_handles_signals() && __irkiss_nondet_bool()) {
        irkiss_set_errno(EINTR);
        return -1;
    }
    return read(number, bytes, count);
}

int eventfd_write(int number, u64 value) { return write(number, &value, 8) == 8 ? 0 : -1; }
int eventfd_read(int number, u64 *value) { return read(number, value, 8) == 8 ? 0 : -1; }

int close(int number)
{
    irkiss_cancellation_point();
    if (is_known(number)) {
        __irkiss_atomic_begin();
        u64 to = __irkiss_ghost_get(file_of(number), IRKISS_GHOST_HANDLE);
        if (to) {
            __irkiss_ghost_set(file_of((int)to), CLOSED_KEY, 1);
            if (__irkiss_property(IRKISS_DEADLOCK))
                irkiss_add_to_all(IRKISS_GHOST_READY, __irkiss_ghost_get(file_of((int)to), IRKISS_GHOST_STUCK + IRKISS_AWAITS_PERMIT));
        }
        __irkiss_atomic_end();
    }
    return __irkiss_nondet_bool() ? -1 : 0;
}

/* ---- Other numbers of the same file. What is written there is not followed: from then on anything may come. ---- */
static int another(int number)
{
    if (is_known(number))
        IRKISS_ATOMIC(irkiss_share_files());
    return __irkiss_nondet_bool() ? -1 : (int)(__irkiss_nondet_u32() & 511);
}

int dup(int number) { return another(number); }

int dup2(int number, int to)
{
    return another(number) < 0 ? -1 : to;
}

int dup3(int number, int to, int flags) { (void)flags; return dup2(number, to); }

/* Commands of Linux that are about more than the number itself: F_DUPFD, F_SETFL, F_GETLK, F_SETLK, F_SETLKW, F_DUPFD_CLOEXEC. */
enum { DUPLICATE = 0, SET_FLAGS = 4, GET_LOCK = 5, SET_LOCK = 6, WAIT_LOCK = 7, DUPLICATE_CLOSED = 1030 };
#define LOCK_BYTES (sizeof(void *) == 8 ? 32 : 16)

int fcntl(int number, int command, ...)
{
    if (command == DUPLICATE || command == DUPLICATE_CLOSED)
        return another(number);
    if (command == SET_FLAGS && is_known(number))
        IRKISS_ATOMIC(__irkiss_ghost_set(file_of(number), PROMPT_KEY, MAYBE));
    if (command >= GET_LOCK && command <= WAIT_LOCK) {
        __builtin_va_list rest;
        void *lock;
        __builtin_va_start(rest, command);
        lock = __builtin_va_arg(rest, void *);
        irkiss_given(lock, LOCK_BYTES);
        if (command == GET_LOCK)
            __irkiss_havoc(lock, LOCK_BYTES);
        __builtin_va_end(rest);
    }
    return __irkiss_nondet_bool() ? -1 : (int)(__irkiss_nondet_u32() & 0x7fffffff);
}

/* ---- Which of many files are ready is arbitrary, but for what is known here. ---- */
struct pollfd {
    int file;
    short events, got;
};
enum { POLLIN = 1, POLLHUP = 16 };

/* Within a section. */
static short ready_for(struct pollfd asked, u32 any)
{
    short may = (short)(asked.events | 0x38); /* POLLERR, POLLHUP, POLLNVAL */
    if (asked.file < 0)
        return 0;
    if (is_known(asked.file) && !others_write()) {
        if (is_empty(file_of(asked.file)))
            any &= ~(u32)(POLLIN | POLLHUP);
        else
            any |= POLLIN;
    }
    return (short)any & may;
}

/* Where the result is looked at, it may be cut short (below). */
IRKISS_ASSUMES("waits-complete")
int poll(struct pollfd *files, unsigned long count, int timeout)
{
    u32 ready = 0;
    irkiss_signals();
    irkiss_cancellation_point();
    IRKISS_FOLLOWED
    for (unsigned long n = 0; n < count; n++) {
        struct pollfd asked = files[n];
        u32 any = (u16)~__irkiss_nondet_u16();
        short got;
        IRKISS_ATOMIC(got = ready_for(asked, any));
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

/* fd_set: 1024 bits. */
static void some(void *set)
{
    if (set)
        __irkiss_havoc(set, 128);
}

int select(int count, void *to_read, void *to_write, void *others, void *timeout)
{
    u32 ready = __irkiss_nondet_u32();
    irkiss_signals();
    irkiss_cancellation_point();
    /* Linux leaves there what was left of it. */
    irkiss_given(timeout, IRKISS_TIME_BYTES);
    if (timeout)
        __irkiss_havoc(timeout, IRKISS_TIME_BYTES);
    some(to_read);
    some(to_write);
    some(others);
    return ready <= (u32)count ? (int)ready : -1;
}

int pselect(int count, void *to_read, void *to_write, void *others, const void *timeout, const void *mask)
{
    irkiss_given(timeout, IRKISS_TIME_BYTES);
    irkiss_given(mask, sizeof(u64));
    return select(count, to_read, to_write, others, NULL);
}

/* struct epoll_event is packed on x86. */
struct epoll_event {
    u32 events;
    u64 data;
} __attribute__((packed));

int epoll_wait(int number, void *events, int most, int timeout)
{
    u32 ready = __irkiss_nondet_u32();
    (void)number, (void)timeout;
    irkiss_signals();
    irkiss_cancellation_point();
    if (most > 0)
        __irkiss_havoc(events, (u64)most * sizeof(struct epoll_event));
    return ready <= (u32)most ? (int)ready : -1;
}

/* There is room for the address, which may be shorter. */
void irkiss_give_address(void *address, u32 *length)
{
    u32 whole = __irkiss_nondet_u32(), room = *length;
    __irkiss_havoc(address, room);
    *length = whole <= room ? whole : room;
}

int accept(int number, void *address, u32 *length)
{
    (void)number;
    irkiss_signals();
    irkiss_cancellation_point();
    if (address && length)
        irkiss_give_address(address, length);
    return __irkiss_nondet_bool() ? -1 : (int)(__irkiss_nondet_u32() & 511);
}

int accept4(int number, void *address, u32 *length, int flags) { (void)flags; return accept(number, address, length); }

int getsockname(int number, void *address, u32 *length)
{
    (void)number;
    irkiss_give_address(address, length);
    return __irkiss_nondet_bool() ? -1 : 0;
}

int getpeername(int number, void *address, u32 *length) { return getsockname(number, address, length); }

int getsockopt(int number, int level, int option, void *value, u32 *length)
{
    (void)number, (void)level, (void)option;
    irkiss_give_address(value, length);
    return __irkiss_nondet_bool() ? -1 : 0;
}

/* Files that one thread writes and another reads: pipes, pairs of sockets, eventfds. What is written can be read afterwards, and who
 * reads an empty one waits. Of other files nothing is known: what is read there is arbitrary, and there at once. Of each pipe the first
 * bytes are followed; what is read beyond these is arbitrary.
 *
 * At the number of a file, as an address beside this object: IRKISS_GHOST_KIND: what it is; FROM_KEY: where it reads, IRKISS_GHOST_HANDLE:
 * where what is written to it can be read, both as the number that this was first known by (0: it cannot). At that number:
 * BORN_KEY: what IRKISS_GHOST_FILES_SHARED was as it was made; IRKISS_GHOST_SIGNALS: bytes that are there to be read; IRKISS_GHOST_COUNT: numbers by which more may be written. */
#include "irkiss_pthread.h"
#include "irkiss_files.h"

enum {
    UNKNOWN = IRKISS_FILE_UNKNOWN,
    PIPE = IRKISS_FILE_PIPE,
    RECORDS = IRKISS_FILE_RECORDS,
    EVENTS = IRKISS_FILE_EVENTS,
    PERMITS = IRKISS_FILE_PERMITS,
    CLOSED = IRKISS_FILE_CLOSED,
    WATCHES = IRKISS_FILE_WATCHES,
};
enum { EINTR = 4, EBADF = 9, EMFILE = 24 };
enum { BORN_KEY = IRKISS_GHOST_PTHREAD + 8, FROM_KEY = IRKISS_GHOST_PTHREAD + 1, READ_KEY = IRKISS_GHOST_PTHREAD + 3, PROMPT_KEY = IRKISS_GHOST_PTHREAD + 5 };
/* Flags of Linux: O_NONBLOCK, SOCK_NONBLOCK, EFD_NONBLOCK are one, EFD_SEMAPHORE. */
enum { NONBLOCK = 04000, SEMAPHORE = 1 };

/* Files of a program that are known, by number. */
#define FILES IRKISS_FILES
#define FIRST IRKISS_FIRST_FILE
static u8 files[FILES];
static u32 made;

static const void *file_of(int number) { return &files[number - FIRST]; }
const void *irkiss_file(int number) { return file_of(number); }

_Bool irkiss_is_known_file(int number)
{
    u64 kind;
    if (number < FIRST || number >= FIRST + FILES)
        return 0;
    IRKISS_ATOMIC(kind = __irkiss_ghost_get(file_of(number), IRKISS_GHOST_KIND));
    return kind != UNKNOWN;
}

/* Where a number reads, and where what is written to it can be read; 0: it cannot. Within a section. */
static int read_at(int number) { return (int)__irkiss_ghost_get(file_of(number), FROM_KEY); }
static int written_at(int number) { return (int)__irkiss_ghost_get(file_of(number), IRKISS_GHOST_HANDLE); }

void irkiss_connect_file(int number, u64 kind, int from, int to)
{
    __irkiss_ghost_set(file_of(number), IRKISS_GHOST_KIND, kind);
    __irkiss_ghost_set(file_of(number), FROM_KEY, (u64)from);
    __irkiss_ghost_set(file_of(number), IRKISS_GHOST_HANDLE, (u64)to);
    if (to)
        __irkiss_ghost_set(file_of(to), IRKISS_GHOST_COUNT, __irkiss_ghost_get(file_of(to), IRKISS_GHOST_COUNT) + 1);
    if (from == number)
        __irkiss_ghost_set(file_of(number), BORN_KEY, irkiss_of_all(IRKISS_GHOST_FILES_SHARED));
}

/* Two numbers, in a row. */
int irkiss_new_files(u32 count)
{
    u32 first;
    __irkiss_atomic_begin();
    first = made;
    made = first + count;
    __irkiss_atomic_end();
    if (first + count > FILES)
        __irkiss_exceeded("more than 16 ends of pipes");
    return FIRST + (int)first;
}

/* Where the result is looked at, they may fail (below). */
IRKISS_ASSUMES("settings-accepted")
int pipe(int ends[2])
{
    int first = irkiss_new_files(2);
    __irkiss_atomic_begin();
    irkiss_connect_file(first, PIPE, first, 0);
    irkiss_connect_file(first + 1, PIPE, 0, first);
    __irkiss_atomic_end();
    ends[0] = first;
    ends[1] = first + 1;
    return 0;
}

/* Whether who reads there waits. */
void irkiss_set_prompt(int number, int flags)
{
    __irkiss_atomic_begin();
    int from = read_at(number);
    if (from)
        __irkiss_ghost_set(file_of(from), PROMPT_KEY, (flags & NONBLOCK) != 0);
    __irkiss_atomic_end();
}

IRKISS_ASSUMES("settings-accepted")
int pipe2(int ends[2], int flags)
{
    pipe(ends);
    irkiss_set_prompt(ends[0], flags);
    return 0;
}

/* Kinds of sockets that keep what is sent at once apart: SOCK_DGRAM, SOCK_SEQPACKET. */
static _Bool has_records(int type) { return (type & 15) == 2 || (type & 15) == 5; }

IRKISS_ASSUMES("settings-accepted")
int socketpair(int domain, int type, int protocol, int ends[2])
{
    (void)domain, (void)protocol;
    int first = irkiss_new_files(2);
    u64 kind = has_records(type) ? RECORDS : PIPE;
    __irkiss_atomic_begin();
    irkiss_connect_file(first, kind, first, first + 1);
    irkiss_connect_file(first + 1, kind, first + 1, first);
    __irkiss_atomic_end();
    ends[0] = first;
    ends[1] = first + 1;
    irkiss_set_prompt(first, type);
    irkiss_set_prompt(first + 1, type);
    return 0;
}

IRKISS_ASSUMES("settings-accepted")
int eventfd(unsigned value, int flags)
{
    int number = irkiss_new_files(1);
    __irkiss_atomic_begin();
    irkiss_connect_file(number, flags & SEMAPHORE ? PERMITS : EVENTS, number, number);
    __irkiss_ghost_set(file_of(number), IRKISS_GHOST_SIGNALS, value);
    __irkiss_atomic_end();
    irkiss_set_prompt(number, flags);
    return number;
}

/* One that tells which others are ready (ready.c). */
IRKISS_ASSUMES("settings-accepted")
int epoll_create1(int flags)
{
    int number = irkiss_new_files(1);
    (void)flags;
    IRKISS_ATOMIC(irkiss_connect_file(number, WATCHES, 0, 0));
    return number;
}

IRKISS_ASSUMES("settings-accepted")
int epoll_create(int size) { (void)size; return epoll_create1(0); }

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

/* ---- Writing. Of each file the bytes that have been written to it are kept, and the counter of an eventfd; a record begins with its
 * length. ---- */
static u8 contents[FILES][IRKISS_FILE_ROOM];

/* A copy that the program takes no part in; within a section. */
static void move(u8 *to, const u8 *from, u64 count)
{
    IRKISS_TO_THE_END
    for (u64 n = 0; n < count; n++)
        to[n] = from[n];
}

static void put(int at, const u8 *bytes, u64 count)
{
    const void *file = file_of(at);
    u64 start = __irkiss_ghost_get(file, READ_KEY), there = __irkiss_ghost_get(file, IRKISS_GHOST_SIGNALS), end = start + there;
    if (end < IRKISS_FILE_ROOM)
        move(contents[at - FIRST] + end, bytes, end + count < IRKISS_FILE_ROOM ? count : IRKISS_FILE_ROOM - end);
    IRKISS_CHANGES(file, __irkiss_ghost_set(file, IRKISS_GHOST_SIGNALS, there + count));
}

static void put_record(int at, const u8 *bytes, u64 count)
{
    u8 length = (u8)count;
    if (count >= IRKISS_FILE_ROOM)
        __irkiss_exceeded("records of more than 63 bytes");
    put(at, &length, 1);
    put(at, bytes, count);
}

static ssize no_such_file(void)
{
    irkiss_set_errno(EBADF);
    return -1;
}

/* All of what is asked for is written (pipe(7): up to PIPE_BUF as a whole), or nothing. `own` has the first bytes of it; `to` is where they
 * go, if it is not 0. */
static ssize deliver(int number, int to, const u8 *own, usize count)
{
    u64 value = 0;
    if (count >= 8)
        __builtin_memcpy(&value, own, 8);
    __irkiss_atomic_begin();
    u64 kind = __irkiss_ghost_get(file_of(number), IRKISS_GHOST_KIND);
    to = kind == CLOSED ? 0 : to ? to : written_at(number);
    if (to && kind >= EVENTS) {
        u64 there = __irkiss_ghost_get(file_of(to), IRKISS_GHOST_SIGNALS);
        IRKISS_CHANGES(file_of(to), __irkiss_ghost_set(file_of(to), IRKISS_GHOST_SIGNALS, there + value));
    } else if (to && kind == RECORDS) {
        put_record(to, own, count);
    } else if (to) {
        put(to, own, count);
    }
    __irkiss_atomic_end();
    return to ? (ssize)count : no_such_file();
}

ssize irkiss_deliver(int number, const u8 *own, usize count) { return deliver(number, 0, own, count); }

ssize irkiss_write_to(int number, int to, const void *bytes, usize count)
{
    u8 own[IRKISS_FILE_ROOM];
    if (count > IRKISS_FILE_ROOM)
        __irkiss_touch(bytes, count);
    __builtin_memcpy(own, bytes, count < IRKISS_FILE_ROOM ? count : IRKISS_FILE_ROOM);
    return deliver(number, to, own, count);
}

ssize write(int number, const void *bytes, usize count)
{
    irkiss_cancellation_point();
    if (number < 0)
        return no_such_file();
    return irkiss_is_known_file(number) ? irkiss_write_to(number, 0, bytes, count) : irkiss_sent(bytes, count);
}

static _Bool is_interrupted(int number)
{
    if (!irkiss_is_known_file(number) || !__irkiss_nondet_bool())
        return 0;
    irkiss_set_errno(EINTR);
    return 1;
}

/* Where the result is looked at. */
ssize irkiss_asked__write(int number, const void *bytes, usize count) { return is_interrupted(number) ? -1 : write(number, bytes, count); }

ssize send(int socket, const void *bytes, usize count, int flags) { (void)flags; return write(socket, bytes, count); }

/* ---- Reading. ---- */
/* Whether who reads there waits. Within a section. */
static _Bool is_empty(const void *file)
{
    return __irkiss_ghost_get(file, IRKISS_GHOST_SIGNALS) == 0 && __irkiss_ghost_get(file, IRKISS_GHOST_COUNT) != 0;
}

/* Whether another process, or another number, may lead to the same file: what is written there is not followed. */
static _Bool others_write(int from)
{
    return irkiss_of_all(IRKISS_GHOST_FILES_SHARED) != __irkiss_ghost_get(file_of(from), BORN_KEY);
}

enum irkiss_readable irkiss_readable(int number)
{
    int from = read_at(number);
    if (from != 0 && !is_empty(file_of(from)))
        return IRKISS_READABLE;
    return from == 0 || others_write(from) ? IRKISS_PERHAPS_READABLE : IRKISS_NOT_READABLE;
}

/* Whether there is nothing to read, and who reads does not wait for it. */
static _Bool has_nothing(const void *file, _Bool prompt)
{
    IRKISS_ATOMIC(prompt = is_empty(file) && (prompt || __irkiss_ghost_get(file, PROMPT_KEY) != 0));
    return prompt;
}

/* Before a read that waits: the thread may wait for ever. */
static void may_stay(int from)
{
    const void *file = file_of(from);
    if (__irkiss_property(IRKISS_DEADLOCK)) {
        if (__irkiss_nondet_bool()) {
            __irkiss_atomic_begin();
            __irkiss_assume(is_empty(file) && !others_write(from) && __irkiss_ghost_get(file, PROMPT_KEY) == 0);
            irkiss_add_to_all(IRKISS_GHOST_FILES_AWAITED, 1);
            irkiss_waits_for(file, IRKISS_AWAITS_PERMIT);
            __irkiss_atomic_end();
            __irkiss_stop();
        }
    }
}

void irkiss_may_stay_for(u32 files)
{
    const void *last = NULL;
    if (!__irkiss_property(IRKISS_DEADLOCK))
        return;
    if (!__irkiss_nondet_bool())
        return;
    __irkiss_atomic_begin();
    IRKISS_TO_THE_END
    for (int n = 0; n < IRKISS_FILES; n++) {
        if (files >> n & 1) {
            int number = IRKISS_FIRST_FILE + n;
            __irkiss_assume(irkiss_readable(number) == IRKISS_NOT_READABLE);
            irkiss_add_to_all(IRKISS_GHOST_FILES_AWAITED, 1);
            /* It waits at each of them, and is one thread that waits. */
            if (last) {
                u32 stuck = IRKISS_GHOST_STUCK + IRKISS_AWAITS_PERMIT;
                __irkiss_ghost_set(last, stuck, __irkiss_ghost_get(last, stuck) + 1);
            }
            last = file_of(read_at(number));
        }
    }
    __irkiss_assume(last != NULL);
    irkiss_waits_for(last, IRKISS_AWAITS_PERMIT);
    __irkiss_atomic_end();
    __irkiss_stop();
}

/* Takes what is there, and waits for it; within a section. Of a record what is not asked for is lost. `end`: how many bytes have been
 * taken so far, of all. */
static u64 take(int from, u64 kind, u8 *own, u64 most, u64 *end)
{
    const void *file = file_of(from);
    u64 there = __irkiss_ghost_get(file, IRKISS_GHOST_SIGNALS), start = __irkiss_ghost_get(file, READ_KEY), got, gone;
    __irkiss_assume(!is_empty(file));
    if (kind >= EVENTS) {
        got = kind == EVENTS ? there : there != 0;
        IRKISS_CHANGES(file, __irkiss_ghost_set(file, IRKISS_GHOST_SIGNALS, there - got));
        return got;
    }
    gone = there;
    if (kind == RECORDS && there != 0) {
        gone = start < IRKISS_FILE_ROOM ? contents[from - FIRST][start] : there - 1;
        start++;
        there--;
    }
    got = gone < most ? gone : most;
    if (kind == PIPE)
        gone = got;
    if (start < IRKISS_FILE_ROOM)
        move(own, contents[from - FIRST] + start, start + got < IRKISS_FILE_ROOM ? got : IRKISS_FILE_ROOM - start);
    *end = start + got;
    IRKISS_CHANGES(file, __irkiss_ghost_set(file, IRKISS_GHOST_SIGNALS, there - gone));
    __irkiss_ghost_set(file, READ_KEY, start + gone);
    return got;
}

/* Once nobody can write any more, what is left is read, and then the end of the file. */
ssize irkiss_collect(int number, void *bytes, usize count, _Bool prompt)
{
    u8 own[IRKISS_FILE_ROOM];
    u64 got, kind, end = 0;
    int from;
    _Bool shared;
    IRKISS_ATOMIC(kind = __irkiss_ghost_get(file_of(number), IRKISS_GHOST_KIND); from = read_at(number));
    if (from == 0 || kind == CLOSED)
        return no_such_file();
    IRKISS_ATOMIC(shared = others_write(from));
    if (shared && __irkiss_nondet_bool())
        return irkiss_read(bytes, count);
    if (has_nothing(file_of(from), prompt)) {
        irkiss_set_errno(IRKISS_EAGAIN);
        return -1;
    }
    may_stay(from);
    IRKISS_ATOMIC(got = take(from, kind, own, count, &end));
    if (kind >= EVENTS) {
        __builtin_memcpy(bytes, &got, 8);
        return 8;
    }
    if (end <= IRKISS_FILE_ROOM)
        __builtin_memcpy(bytes, own, got);
    else
        __irkiss_havoc(bytes, got);
    return (ssize)got;
}

ssize read(int number, void *bytes, usize count)
{
    irkiss_signals();
    irkiss_cancellation_point();
    if (number < 0)
        return no_such_file();
    return irkiss_is_known_file(number) ? irkiss_collect(number, bytes, count, 0) : irkiss_read(bytes, count);
}

/* A thread waits until it is interrupted, or there is something. */
static _Bool is_woken(int number) { return irkiss_handles_signals() && is_interrupted(number); }
ssize irkiss_asked__read(int number, void *bytes, usize count) { return is_woken(number) ? -1 : read(number, bytes, count); }

enum { MSG_PEEK = 2, MSG_DONTWAIT = 0x40 };

ssize recv(int socket, void *bytes, usize count, int flags)
{
    irkiss_signals();
    irkiss_cancellation_point();
    if (socket < 0)
        return no_such_file();
    if (!irkiss_is_known_file(socket))
        return irkiss_read(bytes, count);
    if (flags & MSG_PEEK)
        __irkiss_unsupported("a look at what a socket of this program will give (MSG_PEEK)");
    return irkiss_collect(socket, bytes, count, (flags & MSG_DONTWAIT) != 0);
}

int eventfd_write(int number, u64 value) { return write(number, &value, 8) == 8 ? 0 : -1; }
int eventfd_read(int number, u64 *value) { return read(number, value, 8) == 8 ? 0 : -1; }

/* ---- Ends. ---- */
/* By one number less, or by none any more, is written there: who waits comes to the end of the file. Within a section. */
static void no_more_from(int at, _Bool all)
{
    u64 writers = __irkiss_ghost_get(file_of(at), IRKISS_GHOST_COUNT);
    if (writers == 0)
        return;
    writers = all ? 0 : writers - 1;
    __irkiss_ghost_set(file_of(at), IRKISS_GHOST_COUNT, writers);
    if (__irkiss_property(IRKISS_DEADLOCK)) {
        if (writers == 0)
            irkiss_add_to_all(IRKISS_GHOST_READY, __irkiss_ghost_get(file_of(at), IRKISS_GHOST_STUCK + IRKISS_AWAITS_PERMIT));
    }
}

_Bool irkiss_is_open(int number) { return __irkiss_ghost_get(file_of(number), IRKISS_GHOST_KIND) != CLOSED; }

int close(int number)
{
    irkiss_cancellation_point();
    if (irkiss_is_known_file(number)) {
        _Bool was_open;
        __irkiss_atomic_begin();
        was_open = irkiss_is_open(number);
        if (was_open) {
            int to = written_at(number);
            if (to && __irkiss_ghost_get(file_of(number), IRKISS_GHOST_KIND) < EVENTS)
                no_more_from(to, 0);
            __irkiss_ghost_set(file_of(number), IRKISS_GHOST_KIND, CLOSED);
        }
        __irkiss_atomic_end();
        if (!was_open)
            return (int)no_such_file();
    }
    return __irkiss_nondet_bool() ? -1 : 0;
}

/* SHUT_RD, SHUT_WR, SHUT_RDWR are 0, 1, 2. */
int shutdown(int socket, int how)
{
    if (irkiss_is_known_file(socket)) {
        __irkiss_atomic_begin();
        if (how != 0 && written_at(socket))
            no_more_from(written_at(socket), 1);
        if (how != 1 && read_at(socket))
            no_more_from(read_at(socket), 1);
        __irkiss_atomic_end();
    }
    return __irkiss_nondet_bool() ? -1 : 0;
}

/* ---- Other numbers of the same file. Where that is one that the program has of elsewhere, what is written there is not followed: from then
 * on anything may come. ---- */
static int another(int number)
{
    int other;
    if (__irkiss_nondet_bool())
        return -1;
    if (!irkiss_is_known_file(number))
        return (int)(__irkiss_nondet_u32() & 511);
    other = irkiss_new_files(1);
    IRKISS_ATOMIC(irkiss_connect_file(other, __irkiss_ghost_get(file_of(number), IRKISS_GHOST_KIND), read_at(number), written_at(number)));
    return other;
}

int dup(int number) { return another(number); }

int dup2(int number, int to)
{
    if (irkiss_is_known_file(to))
        __irkiss_unsupported("another file at the number of a pipe (dup2)");
    if (irkiss_is_known_file(number))
        IRKISS_ATOMIC(irkiss_share_files());
    return __irkiss_nondet_bool() ? -1 : to;
}

int dup3(int number, int to, int flags) { (void)flags; return dup2(number, to); }

/* Commands of Linux that are about more than the number itself: F_DUPFD, F_SETFL, F_GETLK, F_SETLK, F_SETLKW, F_DUPFD_CLOEXEC. */
enum { DUPLICATE = 0, SET_FLAGS = 4, GET_LOCK = 5, SET_LOCK = 6, WAIT_LOCK = 7, DUPLICATE_CLOSED = 1030 };
#define LOCK_BYTES (sizeof(void *) == 8 ? 32 : 16)

static void use_lock(int command, void *lock)
{
    irkiss_given(lock, LOCK_BYTES);
    if (command == GET_LOCK)
        __irkiss_havoc(lock, LOCK_BYTES);
}

int fcntl(int number, int command, ...)
{
    if (command == DUPLICATE || command == DUPLICATE_CLOSED)
        return another(number);
    if (command == SET_FLAGS || (command >= GET_LOCK && command <= WAIT_LOCK)) {
        __builtin_va_list rest;
        __builtin_va_start(rest, command);
        if (command != SET_FLAGS)
            use_lock(command, __builtin_va_arg(rest, void *));
        else if (irkiss_is_known_file(number))
            irkiss_set_prompt(number, __builtin_va_arg(rest, int));
        __builtin_va_end(rest);
    }
    return __irkiss_nondet_bool() ? -1 : (int)(__irkiss_nondet_u32() & 0x7fffffff);
}

/* Files that one thread writes and another reads: pipes, pairs of sockets, eventfds. What is written can be read afterwards, and who
 * reads an empty one waits. Of other files nothing is known: what is read there is arbitrary, and there at once. Contents are not
 * followed.
 *
 * IRKISS_GHOST_KIND at the number of a file, as an address beside this object: what it is; IRKISS_GHOST_HANDLE: the number of the
 * end where it is read (of a socket: at the other side); IRKISS_GHOST_COUNT at that number: bytes that are there to be read. */
#include "irkiss_pthread.h"

ssize irkiss_read(void *bytes, usize count);
ssize send(int socket, const void *bytes, usize count, int flags);

enum { UNKNOWN = 0, PIPE = 1, EVENTS = 2 };
enum { CLOSED_KEY = IRKISS_GHOST_PTHREAD + 1 };

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
        __irkiss_unsupported("more than 16 ends of pipes");
    return 1000 + (int)first;
}

int pipe(int ends[2])
{
    if (__irkiss_nondet_bool())
        return -1;
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

int pipe2(int ends[2], int flags) { (void)flags; return pipe(ends); }

int socketpair(int domain, int type, int protocol, int ends[2])
{
    (void)domain, (void)type, (void)protocol;
    if (pipe(ends) != 0)
        return -1;
    IRKISS_ATOMIC(__irkiss_ghost_set(file_of(ends[0]), IRKISS_GHOST_HANDLE, (u64)ends[1]));
    return 0;
}

int eventfd(unsigned value, int flags)
{
    (void)flags;
    if (__irkiss_nondet_bool())
        return -1;
    int number = make(1);
    __irkiss_atomic_begin();
    __irkiss_ghost_set(file_of(number), IRKISS_GHOST_KIND, EVENTS);
    __irkiss_ghost_set(file_of(number), IRKISS_GHOST_COUNT, value);
    __irkiss_ghost_set(file_of(number), IRKISS_GHOST_HANDLE, (u64)number);
    __irkiss_atomic_end();
    return number;
}

ssize write(int number, const void *bytes, usize count)
{
    irkiss_cancellation_point();
    ssize written = send(number, bytes, count, 0);
    if (!is_known(number) || written <= 0)
        return written;
    __irkiss_atomic_begin();
    u64 to = __irkiss_ghost_get(file_of(number), IRKISS_GHOST_HANDLE);
    if (to) {
        u64 there = __irkiss_ghost_get(file_of((int)to), IRKISS_GHOST_COUNT);
        __irkiss_ghost_set(file_of((int)to), IRKISS_GHOST_COUNT, there + (u64)written);
    }
    __irkiss_atomic_end();
    return written;
}

/* Once the other end is closed, what is left is read, and then the end of the file. */
ssize read(int number, void *bytes, usize count)
{
    irkiss_signals();
    irkiss_cancellation_point();
    if (!is_known(number))
        return irkiss_read(bytes, count);
    u64 there, got = __irkiss_nondet_u64();
    __irkiss_atomic_begin();
    u64 kind = __irkiss_ghost_get(file_of(number), IRKISS_GHOST_KIND);
    there = __irkiss_ghost_get(file_of(number), IRKISS_GHOST_COUNT);
    _Bool closed = __irkiss_ghost_get(file_of(number), CLOSED_KEY) != 0;
    __irkiss_assume(there != 0 || closed);
    u64 most = there < count ? there : count;
    got = got == 0 || got > most ? most : got;
    __irkiss_ghost_set(file_of(number), IRKISS_GHOST_COUNT, kind == EVENTS ? 0 : there - got);
    __irkiss_atomic_end();
    if (kind == EVENTS)
        got = 8;
    if (there)
        __irkiss_havoc(bytes, count);
    return there ? (ssize)got : 0;
}

int eventfd_write(int number, u64 value) { return write(number, &value, 8) == 8 ? 0 : -1; }
int eventfd_read(int number, u64 *value) { return read(number, value, 8) == 8 ? 0 : -1; }

int close(int number)
{
    if (is_known(number)) {
        __irkiss_atomic_begin();
        u64 to = __irkiss_ghost_get(file_of(number), IRKISS_GHOST_HANDLE);
        if (to)
            __irkiss_ghost_set(file_of((int)to), CLOSED_KEY, 1);
        __irkiss_atomic_end();
    }
    return __irkiss_nondet_bool() ? -1 : 0;
}

/* ---- Which of many files are ready is arbitrary. ---- */
struct pollfd {
    int file;
    short events, got;
};

int poll(struct pollfd *files, unsigned long count, int timeout)
{
    u32 ready = __irkiss_nondet_u32();
    (void)timeout;
    irkiss_signals();
    irkiss_cancellation_point();
    IRKISS_FOLLOWED
    for (unsigned long n = 0; n < count; n++)
        files[n].got = (short)__irkiss_nondet_u16();
    return ready <= count ? (int)ready : -1;
}

int ppoll(struct pollfd *files, unsigned long count, const void *timeout, const void *mask)
{
    (void)timeout, (void)mask;
    return poll(files, count, 0);
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
    (void)timeout;
    irkiss_signals();
    irkiss_cancellation_point();
    some(to_read);
    some(to_write);
    some(others);
    return ready <= (u32)count ? (int)ready : -1;
}

int pselect(int count, void *to_read, void *to_write, void *others, const void *timeout, const void *mask)
{
    (void)timeout, (void)mask;
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

int accept(int number, void *address, u32 *length)
{
    (void)number;
    irkiss_signals();
    irkiss_cancellation_point();
    if (address && length)
        __irkiss_havoc(address, *length);
    return __irkiss_nondet_bool() ? -1 : (int)(__irkiss_nondet_u32() & 1023);
}

int accept4(int number, void *address, u32 *length, int flags) { (void)flags; return accept(number, address, length); }

int getsockname(int number, void *address, u32 *length)
{
    (void)number;
    __irkiss_havoc(address, *length);
    return __irkiss_nondet_bool() ? -1 : 0;
}

int getpeername(int number, void *address, u32 *length) { return getsockname(number, address, length); }

int getsockopt(int number, int level, int option, void *value, u32 *length)
{
    (void)number, (void)level, (void)option;
    __irkiss_havoc(value, *length);
    return __irkiss_nondet_bool() ? -1 : 0;
}

/* Sockets with names, in programs that give names to sockets and use such names themselves (src/frontend/close/hooks.rs): who connects to a
 * name, or sends to it, is taken to be this program. In all others the peers are somebody else: anything comes, and at once (files.c, sockets.c).
 *
 * At the number of a file (pipes.c), as an address beside this object: NAME_KEY: its name (0: none); LISTENER_KEY: of a connection that nobody
 * has accepted so far, the number of the socket that listens. IRKISS_GHOST_SIGNALS of a socket that listens counts these. */
#include "irkiss_pthread.h"
#include "irkiss_files.h"

enum { NAME_KEY = IRKISS_GHOST_PTHREAD + 9, LISTENER_KEY = IRKISS_GHOST_PTHREAD + 10 };
enum { EINVAL = 22, EADDRINUSE = 98, ECONNREFUSED = 111 };
enum { STREAM = 1, KIND = 15 };

/* false in programs that do not (src/frontend/harness/whole.rs). */
IRKISS_ASSUMES("peers-inside")
_Bool irkiss_has_peers(void) { return 1; }

static int refused(int why)
{
    irkiss_set_errno(why);
    return -1;
}

static _Bool fails(void)
{
    if (!__irkiss_nondet_bool())
        return 0;
    irkiss_set_errno((int)(__irkiss_nondet_u8() & 127));
    return 1;
}

static int zero_or_error(void) { return fails() ? -1 : 0; }

/* ---- Names: what the family compares. struct sockaddr begins with the family; sockaddr_in and sockaddr_in6 go on with the port, and whoever
 * asks for one has it for all addresses of the machine; sockaddr_un goes on with a path. ---- */
enum { OF_PATHS = 1, OF_PORTS = 2, OF_PORTS_6 = 10 };
#define ADDRESS 110

static u64 name_of(const void *address, u32 length)
{
    u8 own[ADDRESS];
    u16 family, port;
    u64 name = 1;
    u32 known = length < ADDRESS ? length : ADDRESS;
    __builtin_memset(own, 0, sizeof own);
    __builtin_memcpy(own, address, known);
    __builtin_memcpy(&family, own, 2);
    __builtin_memcpy(&port, own + 2, 2);
    if (family == OF_PORTS || family == OF_PORTS_6)
        return port ? 1ull << 63 | (u64)family << 16 | port : 0;
    if (family != OF_PATHS)
        return 0;
    IRKISS_TO_THE_END
    for (u32 n = 2; n < ADDRESS; n++) {
        /* An abstract name begins with 0. */
        if (n > 2 && own[n] == 0)
            break;
        name = name * 31 + own[n];
    }
    return name >> 1 | 1;
}

/* Who has that name; 0: nobody. Within a section. */
static int named(u64 name)
{
    int found = 0;
    IRKISS_TO_THE_END
    for (int n = 0; n < IRKISS_FILES; n++) {
        if (__irkiss_ghost_get(irkiss_file(IRKISS_FIRST_FILE + n), NAME_KEY) == name && irkiss_is_open(IRKISS_FIRST_FILE + n))
            found = IRKISS_FIRST_FILE + n;
    }
    return found;
}

/* ---- What the program calls. ---- */
int socket(int family, int type, int protocol)
{
    (void)family, (void)protocol;
    if (fails())
        return -1;
    if (!irkiss_has_peers())
        return (int)(__irkiss_nondet_u32() & 511);
    int number = irkiss_new_files(1);
    __irkiss_atomic_begin();
    if ((type & KIND) == STREAM)
        irkiss_connect_file(number, IRKISS_FILE_PIPE, 0, 0);
    else
        irkiss_connect_file(number, IRKISS_FILE_RECORDS, number, 0);
    /* Somebody may always write there. */
    __irkiss_ghost_set(irkiss_file(number), IRKISS_GHOST_COUNT, (type & KIND) != STREAM);
    __irkiss_atomic_end();
    irkiss_set_prompt(number, type);
    return number;
}

int bind(int socket, const void *address, u32 length)
{
    int other;
    __irkiss_touch(address, length);
    if (!irkiss_is_known_file(socket))
        return zero_or_error();
    u64 name = name_of(address, length);
    if (name == 0)
        __irkiss_unsupported("a socket that is bound to any name");
    if (fails())
        return -1;
    __irkiss_atomic_begin();
    other = named(name);
    if (!other)
        __irkiss_ghost_set(irkiss_file(socket), NAME_KEY, name);
    __irkiss_atomic_end();
    return other ? refused(EADDRINUSE) : 0;
}

int listen(int socket, int most)
{
    (void)most;
    if (fails())
        return -1;
    if (irkiss_is_known_file(socket)) {
        __irkiss_atomic_begin();
        irkiss_connect_file(socket, IRKISS_FILE_LISTENS, socket, 0);
        __irkiss_ghost_set(irkiss_file(socket), IRKISS_GHOST_COUNT, 1);
        __irkiss_atomic_end();
    }
    return 0;
}

/* A connection has an end at the other side at once, whether it is accepted or not. Within a section. */
static void connect_to(int socket, int listener)
{
    const void *file = irkiss_file(listener);
    int end = irkiss_new_files(1);
    irkiss_connect_file(end, IRKISS_FILE_PIPE, end, socket);
    irkiss_connect_file(socket, IRKISS_FILE_PIPE, socket, end);
    __irkiss_ghost_set(irkiss_file(end), LISTENER_KEY, (u64)listener);
    IRKISS_CHANGES(file, __irkiss_ghost_set(file, IRKISS_GHOST_SIGNALS, __irkiss_ghost_get(file, IRKISS_GHOST_SIGNALS) + 1));
}

static int connect_known(int socket, u64 name)
{
    _Bool found = 0;
    if (name == 0)
        __irkiss_unsupported("a connection with a name that is not followed");
    __irkiss_atomic_begin();
    int other = named(name);
    u64 kind = other ? irkiss_file_kind(other) : IRKISS_FILE_UNKNOWN;
    if (kind == IRKISS_FILE_LISTENS)
        connect_to(socket, other);
    else if (kind == IRKISS_FILE_RECORDS)
        irkiss_connect_file(socket, kind, socket, other);
    found = kind == IRKISS_FILE_LISTENS || kind == IRKISS_FILE_RECORDS;
    __irkiss_atomic_end();
    return found ? 0 : refused(ECONNREFUSED);
}

int connect(int socket, const void *address, u32 length)
{
    irkiss_signals();
    irkiss_cancellation_point();
    __irkiss_touch(address, length);
    if (fails())
        return -1;
    return irkiss_is_known_file(socket) ? connect_known(socket, name_of(address, length)) : 0;
}

/* The one that has waited longest. Within a section. */
static int first_waiting(int listener)
{
    int found = 0;
    IRKISS_TO_THE_END
    for (int n = IRKISS_FILES - 1; n >= 0; n--) {
        if (__irkiss_ghost_get(irkiss_file(IRKISS_FIRST_FILE + n), LISTENER_KEY) == (u64)listener)
            found = IRKISS_FIRST_FILE + n;
    }
    if (found)
        __irkiss_ghost_set(irkiss_file(found), LISTENER_KEY, 0);
    return found;
}

static int accept_known(int listener)
{
    u64 one, kind;
    int number;
    IRKISS_ATOMIC(kind = irkiss_file_kind(listener));
    if (kind != IRKISS_FILE_LISTENS)
        return refused(EINVAL);
    if (irkiss_collect(listener, &one, sizeof one, 0) < 0)
        return -1;
    IRKISS_ATOMIC(number = first_waiting(listener));
    return number;
}

int accept(int socket, void *address, u32 *length)
{
    irkiss_signals();
    irkiss_cancellation_point();
    if (address && length)
        irkiss_give_address(address, length);
    if (fails())
        return -1;
    return irkiss_is_known_file(socket) ? accept_known(socket) : (int)(__irkiss_nondet_u32() & 511);
}

int accept4(int socket, void *address, u32 *length, int flags)
{
    int number = accept(socket, address, length);
    if (irkiss_is_known_file(number))
        irkiss_set_prompt(number, flags);
    return number;
}

ssize write(int number, const void *bytes, usize count);

ssize sendto(int socket, const void *bytes, usize count, int flags, const void *address, u32 length)
{
    int other;
    (void)flags;
    if (address)
        __irkiss_touch(address, length);
    if (!address || !irkiss_is_known_file(socket))
        return write(socket, bytes, count);
    u64 name = name_of(address, length);
    irkiss_cancellation_point();
    IRKISS_ATOMIC(other = name ? named(name) : 0);
    if (!other)
        __irkiss_unsupported("a message to a socket that is not known");
    return irkiss_write_to(socket, other, bytes, count);
}

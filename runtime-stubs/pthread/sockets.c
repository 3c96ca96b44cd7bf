/* Several pieces at once, messages and addresses: of files that are known (pipes.c) what is written is followed. */
#include "irkiss_pthread.h"
#include "irkiss_files.h"

ssize recv(int socket, void *bytes, usize count, int flags);

struct piece {
    void *start;
    usize length;
};

/* How much was done of what was asked for; -1: it failed. */
static ssize done(usize most)
{
    u64 bytes = __irkiss_nondet_u64();
    if (__irkiss_nondet_bool()) {
        irkiss_set_errno((int)(__irkiss_nondet_u8() & 127));
        return -1;
    }
    return (ssize)(bytes <= most ? bytes : most);
}

/* ---- Of known files: the first bytes in a row. ---- */
static usize of_room(usize length, usize used)
{
    usize room = used < IRKISS_FILE_ROOM ? IRKISS_FILE_ROOM - used : 0;
    return length < room ? length : room;
}

static ssize gather(int file, const struct piece *pieces, usize count)
{
    u8 own[IRKISS_FILE_ROOM];
    usize all = 0;
    IRKISS_FOLLOWED
    for (usize n = 0; n < count; n++) {
        usize length = of_room(pieces[n].length, all);
        if (length)
            __builtin_memcpy(own + all, pieces[n].start, length);
        if (length < pieces[n].length)
            __irkiss_touch(pieces[n].start, pieces[n].length);
        all += pieces[n].length;
    }
    return irkiss_deliver(file, own, all);
}

/* No more than is followed is read at once. */
static ssize scatter(int file, const struct piece *pieces, usize count, _Bool prompt)
{
    u8 own[IRKISS_FILE_ROOM];
    usize all = 0, used = 0;
    ssize got;
    IRKISS_FOLLOWED
    for (usize n = 0; n < count; n++)
        all += of_room(pieces[n].length, all);
    got = irkiss_collect(file, own, all, prompt);
    IRKISS_FOLLOWED
    for (usize n = 0; n < count && got > 0 && used < (usize)got; n++) {
        usize left = (usize)got - used, length = pieces[n].length < left ? pieces[n].length : left;
        if (length)
            __builtin_memcpy(pieces[n].start, own + used, length);
        used += length;
    }
    return got;
}

/* ---- Of others. What is asked for, in bytes. ---- */
static usize read_into(const struct piece *pieces, usize count)
{
    usize all = 0;
    IRKISS_FOLLOWED
    for (usize n = 0; n < count; n++) {
        if (pieces[n].length)
            __irkiss_havoc(pieces[n].start, pieces[n].length);
        all += pieces[n].length;
    }
    return all;
}

static usize write_from(const struct piece *pieces, usize count)
{
    usize all = 0;
    IRKISS_FOLLOWED
    for (usize n = 0; n < count; n++) {
        if (pieces[n].length)
            __irkiss_touch(pieces[n].start, pieces[n].length);
        all += pieces[n].length;
    }
    return all;
}

ssize irkiss_written(usize most);

static ssize read_pieces(int file, const struct piece *pieces, usize count, _Bool prompt)
{
    return irkiss_is_known_file(file) ? scatter(file, pieces, count, prompt) : done(read_into(pieces, count));
}

static ssize write_pieces(int file, const struct piece *pieces, usize count)
{
    return irkiss_is_known_file(file) ? gather(file, pieces, count) : irkiss_written(write_from(pieces, count));
}

ssize readv(int file, const struct piece *pieces, int count)
{
    irkiss_signals();
    irkiss_cancellation_point();
    return read_pieces(file, pieces, (usize)count, 0);
}

ssize writev(int file, const struct piece *pieces, int count)
{
    irkiss_cancellation_point();
    return write_pieces(file, pieces, (usize)count);
}

/* At a place of the file: none that is known here has places. */
ssize preadv(int file, const struct piece *pieces, int count, long offset)
{
    (void)file, (void)offset;
    irkiss_cancellation_point();
    return done(read_into(pieces, (usize)count));
}

ssize pwritev(int file, const struct piece *pieces, int count, long offset)
{
    (void)file, (void)offset;
    irkiss_cancellation_point();
    return irkiss_written(write_from(pieces, (usize)count));
}

/* ---- Messages: struct msghdr. ---- */
struct message {
    void *name;
    u32 name_length;
    struct piece *pieces;
    usize count;
    void *control;
    usize control_length;
    int flags;
};
enum { MSG_PEEK = 2, MSG_DONTWAIT = 0x40 };

ssize recvmsg(int socket, struct message *message, int flags)
{
    irkiss_signals();
    irkiss_cancellation_point();
    if ((flags & MSG_PEEK) && irkiss_is_known_file(socket))
        __irkiss_unsupported("a look at what a socket of this program will give (MSG_PEEK)");
    ssize got = read_pieces(socket, message->pieces, message->count, (flags & MSG_DONTWAIT) != 0);
    if (message->name)
        __irkiss_havoc(message->name, message->name_length);
    if (message->control)
        __irkiss_havoc(message->control, message->control_length);
    u32 length = __irkiss_nondet_u32();
    if (length < message->name_length)
        message->name_length = length;
    usize control = (usize)__irkiss_nondet_u64();
    if (control < message->control_length)
        message->control_length = control;
    message->flags = (int)__irkiss_nondet_u32();
    return got;
}

ssize sendmsg(int socket, const struct message *message, int flags)
{
    (void)flags;
    irkiss_cancellation_point();
    if (message->name && irkiss_is_known_file(socket))
        __irkiss_unsupported("a message to a name (sendmsg)");
    if (message->name)
        __irkiss_touch(message->name, message->name_length);
    if (message->control)
        __irkiss_touch(message->control, message->control_length);
    return write_pieces(socket, message->pieces, message->count);
}

ssize recvfrom(int socket, void *bytes, usize count, int flags, void *address, u32 *length)
{
    ssize got = recv(socket, bytes, count, flags);
    if (address && length)
        irkiss_give_address(address, length);
    return got;
}

/* ---- Formats (the frontend has what they read: src/frontend/close/scan.rs): some bytes, which are not followed. ---- */
static int print(int file)
{
    u8 text[IRKISS_FILE_ROOM];
    if (!irkiss_is_known_file(file))
        return (int)__irkiss_nondet_u32();
    __irkiss_havoc(text, sizeof(text));
    return (int)irkiss_deliver(file, text, 1 + (usize)(__irkiss_nondet_u8() & 15));
}

int dprintf(int file, const char *format, ...) { (void)format; return print(file); }
int vdprintf(int file, const char *format, __builtin_va_list rest) { (void)format, (void)rest; return print(file); }
int __dprintf_chk(int file, int flag, const char *format, ...) { (void)flag, (void)format; return print(file); }

/* ---- Addresses. ---- */
/* There is room for the address, which may be shorter. */
void irkiss_give_address(void *address, u32 *length)
{
    u32 whole = __irkiss_nondet_u32(), room = *length;
    __irkiss_havoc(address, room);
    *length = whole <= room ? whole : room;
}

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

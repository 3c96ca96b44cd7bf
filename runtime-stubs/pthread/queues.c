/* Queues of messages of the kernel (mq_overview(7), sysvipc(7)): what is received was sent before. Those that were there
 * before the program are not; of each queue up to 4 messages are followed. */
#include "irkiss_pthread.h"

int strcmp(const char *a, const char *b);

enum { EAGAIN = 11, NONBLOCK = 04000, CREATE = 0100, NO_WAIT = 04000 };

#define QUEUES 4
#define MESSAGES 4
#define FIRST 2000

static struct message {
    u8 *bytes;
    usize length;
    long kind; /* its type, or its priority */
} messages[QUEUES][MESSAGES];

/* IRKISS_GHOST_SIGNALS at one of these: how many messages are in that queue. */
static struct queue {
    u8 there, prompt;
    u32 key;
    const char *name;
} queues[QUEUES];

static _Bool is_known(int number) { return number >= FIRST && number < FIRST + QUEUES; }

/* The first free place. Within a section. */
static u32 free_place(void)
{
    u32 place = !queues[0].there ? 0 : !queues[1].there ? 1 : !queues[2].there ? 2 : 3;
    if (queues[place].there)
        __irkiss_unsupported("more than 4 queues of messages");
    queues[place].there = 1;
    return place;
}

static u64 count_of(u32 n) { return __irkiss_ghost_get(&queues[n], IRKISS_GHOST_SIGNALS); }

/* Puts a message in at the end. Whether there was room. */
static _Bool put(u32 n, const void *bytes, usize length, long kind)
{
    u8 *copy = __irkiss_alloc(length, 0);
    u64 at;
    __builtin_memcpy(copy, bytes, length);
    __irkiss_atomic_begin();
    at = count_of(n);
    if (at < MESSAGES) {
        messages[n][at].bytes = copy;
        messages[n][at].length = length;
        messages[n][at].kind = kind;
        IRKISS_CHANGES(&queues[n], __irkiss_ghost_set(&queues[n], IRKISS_GHOST_SIGNALS, at + 1));
    }
    __irkiss_atomic_end();
    if (at >= MESSAGES)
        __irkiss_unsupported("more than 4 messages in a queue");
    return 1;
}

/* Which of two is received first: of priorities the higher one; of types, the one that is asked for. */
enum { BY_PRIORITY, ANY_TYPE, THIS_TYPE, OTHER_TYPES, UP_TO_TYPE };

static _Bool fits(struct message one, u32 how, long kind)
{
    return how == THIS_TYPE ? one.kind == kind : how == OTHER_TYPES ? one.kind != kind : how == UP_TO_TYPE ? one.kind <= kind : 1;
}

/* MESSAGES: there is none. Within a section. */
static u32 chosen(u32 n, u32 how, long kind)
{
    u32 best = MESSAGES;
    u64 there = count_of(n);
    IRKISS_TO_THE_END
    for (u32 at = 0; at < MESSAGES; at++) {
        struct message one = messages[n][at];
        if (at >= there || !fits(one, how, kind))
            continue;
        if (best == MESSAGES || (how == BY_PRIORITY && one.kind > messages[n][best].kind) ||
            (how == UP_TO_TYPE && one.kind < messages[n][best].kind))
            best = at;
    }
    return best;
}

/* Takes it out. Within a section. */
static struct message take(u32 n, u32 place)
{
    struct message one = messages[n][place];
    u64 there = count_of(n);
    IRKISS_TO_THE_END
    for (u32 at = 0; at + 1 < MESSAGES; at++)
        if (at >= place)
            messages[n][at] = messages[n][at + 1];
    IRKISS_CHANGES(&queues[n], __irkiss_ghost_set(&queues[n], IRKISS_GHOST_SIGNALS, there - 1));
    return one;
}

/* Waits for a message, unless `prompt`. Whether there is one. */
static _Bool get(u32 n, u32 how, long kind, _Bool prompt, struct message *to)
{
    u32 place;
    if (!prompt && how <= ANY_TYPE)
        IRKISS_MAY_STAY(&queues[n], IRKISS_AWAITS_PERMIT, count_of(n) == 0);
    __irkiss_atomic_begin();
    place = chosen(n, how, kind);
    __irkiss_assume(prompt || place != MESSAGES);
    if (place != MESSAGES)
        *to = take(n, place);
    __irkiss_atomic_end();
    if (place == MESSAGES)
        irkiss_set_errno(EAGAIN);
    return place != MESSAGES;
}

static ssize copy_out(void *bytes, struct message one, usize most)
{
    usize length = one.length < most ? one.length : most;
    __builtin_memcpy(bytes, one.bytes, length);
    return (ssize)length;
}

/* ---- POSIX: by name. ---- */
static u32 place_of(const char *name)
{
    IRKISS_TO_THE_END
    for (u32 n = 0; n < QUEUES; n++) {
        if (!queues[n].there || !queues[n].name)
            continue;
        if (strcmp(queues[n].name, name) == 0)
            return n;
    }
    return QUEUES;
}

IRKISS_ASSUMES("named-semaphores-new")
int mq_open(const char *name, int flags, ...)
{
    u32 place;
    if (__irkiss_nondet_bool()) {
        irkiss_set_errno(13);
        return -1;
    }
    __irkiss_atomic_begin();
    place = place_of(name);
    if (place == QUEUES && (flags & CREATE)) {
        place = free_place();
        queues[place].name = name;
        queues[place].prompt = (flags & NONBLOCK) != 0;
    }
    __irkiss_atomic_end();
    return place == QUEUES ? -1 : FIRST + (int)place;
}

int mq_unlink(const char *name)
{
    u32 place;
    IRKISS_ATOMIC(place = place_of(name); if (place < QUEUES) queues[place].name = NULL);
    return place < QUEUES ? 0 : -1;
}

int mq_send(int queue, const char *bytes, usize length, unsigned priority)
{
    irkiss_cancellation_point();
    if (!is_known(queue)) {
        __irkiss_touch(bytes, length);
        return -1;
    }
    return put((u32)(queue - FIRST), bytes, length, (long)priority) ? 0 : -1;
}

int mq_timedsend(int queue, const char *bytes, usize length, unsigned priority, const void *deadline)
{
    (void)deadline;
    return __irkiss_nondet_bool() ? -1 : mq_send(queue, bytes, length, priority);
}

static ssize receive(int queue, char *bytes, usize most, unsigned *priority, _Bool prompt)
{
    struct message one = { NULL, 0, 0 };
    irkiss_signals();
    irkiss_cancellation_point();
    if (!is_known(queue) || !get((u32)(queue - FIRST), BY_PRIORITY, 0, prompt, &one))
        return -1;
    if (priority)
        *priority = (unsigned)one.kind;
    return copy_out(bytes, one, most);
}

ssize mq_receive(int queue, char *bytes, usize most, unsigned *priority)
{
    _Bool prompt = 0;
    if (is_known(queue))
        IRKISS_ATOMIC(prompt = queues[queue - FIRST].prompt != 0);
    return receive(queue, bytes, most, priority, prompt);
}

ssize mq_timedreceive(int queue, char *bytes, usize most, unsigned *priority, const void *deadline)
{
    (void)deadline;
    return receive(queue, bytes, most, priority, 1);
}

/* ---- System V: by key; a message begins with its type. ---- */
IRKISS_ASSUMES("named-semaphores-new")
int msgget(int key, int flags)
{
    u32 place = QUEUES;
    if (__irkiss_nondet_bool()) {
        irkiss_set_errno(13);
        return -1;
    }
    __irkiss_atomic_begin();
    IRKISS_TO_THE_END
    for (u32 n = 0; n < QUEUES; n++)
        if (key != 0 && queues[n].there && queues[n].key == (u32)key)
            place = n;
    if (place == QUEUES && (key == 0 || (flags & 01000))) {
        place = free_place();
        queues[place].key = (u32)key;
    }
    __irkiss_atomic_end();
    return place == QUEUES ? -1 : FIRST + (int)place;
}

int msgsnd(int queue, const long *message, usize length, int flags)
{
    (void)flags;
    irkiss_cancellation_point();
    if (!is_known(queue)) {
        __irkiss_touch(message, sizeof *message + length);
        return -1;
    }
    return put((u32)(queue - FIRST), message + 1, length, *message) ? 0 : -1;
}

ssize msgrcv(int queue, long *message, usize most, long kind, int flags)
{
    struct message one = { NULL, 0, 0 };
    u32 how = kind == 0 ? ANY_TYPE : kind < 0 ? UP_TO_TYPE : flags & 020000 ? OTHER_TYPES : THIS_TYPE;
    irkiss_signals();
    irkiss_cancellation_point();
    if (!is_known(queue) || !get((u32)(queue - FIRST), how, kind < 0 ? -kind : kind, (flags & NO_WAIT) != 0, &one))
        return -1;
    *message = one.kind;
    return copy_out(message + 1, one, most);
}

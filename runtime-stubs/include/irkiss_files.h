/* What the models of files that are known by number share (runtime-stubs/pthread/pipes.c). */
#ifndef IRKISS_FILES_H
#define IRKISS_FILES_H

#include "irkiss_internal.h"

/* How many bytes of each are followed. */
#define IRKISS_FILE_ROOM 64

/* How many are known, and the number of the first one. */
#define IRKISS_FILES 16
#define IRKISS_FIRST_FILE 1000

enum irkiss_file_kind {
    IRKISS_FILE_UNKNOWN = 0,
    IRKISS_FILE_PIPE = 1,
    /* What is written at once is kept apart. */
    IRKISS_FILE_RECORDS = 2,
    IRKISS_FILE_EVENTS = 3,
    IRKISS_FILE_PERMITS = 4,
    IRKISS_FILE_CLOSED = 5,
    IRKISS_FILE_WATCHES = 6,
    /* A socket that listens: who connects is a permit to accept. */
    IRKISS_FILE_LISTENS = 7,
};

/* Numbers of new files in a row: the first one. */
int irkiss_new_files(u32 count);
/* The address at which ghost state says what is known of a file. */
const void *irkiss_file(int number);
/* Within sections: what it is, whether it was closed, and where it reads and where what is written to it can be read (0: nowhere). */
static inline u64 irkiss_file_kind(int number)
{
    return __irkiss_ghost_get(irkiss_file(number), IRKISS_GHOST_KIND);
}
_Bool irkiss_is_open(int number);
void irkiss_connect_file(int number, u64 kind, int from, int to);
/* Whether who reads there waits: by the flags with which it was made. */
void irkiss_set_prompt(int number, int flags);
/* Writes from one that is known to another one (0: to the one that it is connected with). */
ssize irkiss_write_to(int number, int to, const void *bytes, usize count);

/* Whether it is one end of a pipe, of a pair of sockets, or an eventfd. */
_Bool irkiss_is_known_file(int number);
/* Whether who reads there does not wait for anything. Within a section. */
enum irkiss_readable { IRKISS_NOT_READABLE, IRKISS_READABLE, IRKISS_PERHAPS_READABLE };
enum irkiss_readable irkiss_readable(int number);
/* Before a wait, without an end of its own, for one of these to become readable: the thread may wait for ever. Bit n stands for the file
 * IRKISS_FIRST_FILE + n. */
void irkiss_may_stay_for(u32 files);
/* Writes to one that is known; `own` has the first bytes. */
ssize irkiss_deliver(int number, const u8 *own, usize count);
/* Reads from one that is known; `prompt`: without waiting. */
ssize irkiss_collect(int number, void *bytes, usize count, _Bool prompt);
/* There is room for the address, which may be shorter. */
void irkiss_give_address(void *address, u32 *length);
/* What comes of, and goes to, those that are not. */
ssize irkiss_read(void *bytes, usize count);
ssize irkiss_sent(const void *bytes, usize count);

#endif

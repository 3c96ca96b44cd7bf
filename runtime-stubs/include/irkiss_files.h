/* What the models of files that are known by number share (runtime-stubs/pthread/pipes.c). */
#ifndef IRKISS_FILES_H
#define IRKISS_FILES_H

#include "irkiss_internal.h"

/* How many bytes of each are followed. */
#define IRKISS_FILE_ROOM 64

/* Whether it is one end of a pipe, of a pair of sockets, or an eventfd. */
_Bool irkiss_is_known_file(int number);
/* Whether who reads there does not wait for anything. Within a section. */
enum irkiss_readable { IRKISS_NOT_READABLE, IRKISS_READABLE, IRKISS_PERHAPS_READABLE };
enum irkiss_readable irkiss_readable(int number);
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

/* Streams: that they are locked by the functions that use them (POSIX: flockfile), but for those whose names end in _unlocked; that they end
 * (fclose); and the buffers that a program gives them. What is known of a FILE's content is that it is used: one byte stands for all of it.
 * Only in programs that call one of the functions that tell the difference are there such uses (src/frontend/close/hooks.rs).
 *
 * IRKISS_GHOST_OWNER and IRKISS_GHOST_DEPTH at the address of the FILE are its lock, IRKISS_GHOST_LIFE whether it was opened here (1) or
 * closed (2), IRKISS_GHOST_HANDLE and IRKISS_GHOST_LIMIT the buffer that it was given. */
#include "irkiss_pthread.h"
#include "irkiss_files.h"

enum { OPENED = 1, CLOSED = 2 };
#define STREAM 256
#define EOF (-1)

/* Those that are open from the start. */
IRKISS_HIDDEN static u8 input[STREAM], output[STREAM], errors[STREAM];
void *stdin = input, *stdout = output, *stderr = errors;
void __irkiss_print_string(const char *s, u64 precision);

/* ---- Locks: they nest. ---- */
static _Bool is_mine(const void *file)
{
    _Bool mine;
    IRKISS_ATOMIC(mine = __irkiss_ghost_get(file, IRKISS_GHOST_OWNER) == irkiss_me());
    return mine;
}

static void add_depth(const void *file, u64 step)
{
    __irkiss_ghost_set(file, IRKISS_GHOST_DEPTH, __irkiss_ghost_get(file, IRKISS_GHOST_DEPTH) + step);
}

void flockfile(void *file)
{
    if (is_mine(file)) {
        IRKISS_ATOMIC(add_depth(file, 1));
        return;
    }
    irkiss_lock(file);
}

int ftrylockfile(void *file)
{
    if (is_mine(file)) {
        IRKISS_ATOMIC(add_depth(file, 1));
        return 0;
    }
    return irkiss_trylock(file) ? 0 : -1;
}

void funlockfile(void *file)
{
    u64 depth;
    IRKISS_ATOMIC(depth = __irkiss_ghost_get(file, IRKISS_GHOST_DEPTH));
    if (depth != 0)
        IRKISS_ATOMIC(add_depth(file, ~0ull));
    else
        irkiss_unlock(file);
}

/* ---- Uses. ---- */
/* Its buffer is written: nothing in programs that give none. */
void irkiss_stream_buffer(void *file)
{
    u64 buffer;
    IRKISS_ATOMIC(buffer = __irkiss_ghost_get(file, IRKISS_GHOST_HANDLE));
    if (buffer != 0)
        __irkiss_havoc((void *)(uptr)buffer, 1);
}

/* Each function has an access of its own, which is told for itself. */
#define CHANGE(file) \
    do { \
        __irkiss_havoc(file, 1); \
        irkiss_stream_buffer(file); \
    } while (0)

/* By functions that lock it. */
#define USE_LOCKED(file) \
    do { \
        flockfile(file); \
        CHANGE(file); \
        funlockfile(file); \
    } while (0)

void irkiss_stream(void *file) { USE_LOCKED(file); }
void irkiss_standard_output(void) { USE_LOCKED(stdout); }
void irkiss_standard_input(void) { USE_LOCKED(stdin); }

#define USE(file) \
    do { \
        irkiss_must_be_open(file); \
        CHANGE(file); \
    } while (0)

static int any(void) { return (int)__irkiss_nondet_u32(); }

static int character(void) { return __irkiss_nondet_bool() ? (int)__irkiss_nondet_u8() : EOF; }

int getc_unlocked(void *file) { USE(file); return character(); }
int fgetc_unlocked(void *file) { USE(file); return character(); }
int getchar_unlocked(void) { USE(stdin); return character(); }
int putc_unlocked(int c, void *file) { (void)c; USE(file); return any(); }
int fputc_unlocked(int c, void *file) { (void)c; USE(file); return any(); }
int putchar_unlocked(int c) { (void)c; USE(stdout); return any(); }
int fflush_unlocked(void *file) { if (file) USE(file); return any(); }
int feof_unlocked(void *file) { USE(file); return any(); }
int ferror_unlocked(void *file) { USE(file); return any(); }
void clearerr_unlocked(void *file) { USE(file); }
/* Where the compiler puts the bodies of the C library's inline functions in (bits/stdio.h). */
int __overflow(void *file, int c) { (void)c; USE(file); return any(); }
int __uflow(void *file) { USE(file); return character(); }

int fputs_unlocked(const char *s, void *file)
{
    USE(file);
    __irkiss_print_string(s, ~0ull);
    return any();
}

usize irkiss_items(usize count);
usize fwrite(const void *items, usize size, usize count, void *file);
usize fread(void *items, usize size, usize count, void *file);
char *fgets(char *line, int size, void *file);

usize fwrite_unlocked(const void *items, usize size, usize count, void *file)
{
    USE(file);
    __irkiss_touch(items, size * count);
    return irkiss_items(count);
}

usize fread_unlocked(void *items, usize size, usize count, void *file)
{
    u64 got = __irkiss_nondet_u64();
    USE(file);
    got = got < count ? got : count;
    if (got)
        __irkiss_havoc(items, size * count);
    return (usize)got;
}

char *irkiss_line(char *line, int size);

char *fgets_unlocked(char *line, int size, void *file)
{
    USE(file);
    return irkiss_line(line, size);
}

/* ---- Buffers: the stream's from now on. ---- */
static void give_buffer(void *file, const void *buffer)
{
    irkiss_uses(file);
    IRKISS_ATOMIC(__irkiss_ghost_set(file, IRKISS_GHOST_HANDLE, (u64)(uptr)buffer));
}

/* One without bytes is none. */
int setvbuf(void *file, char *buffer, int mode, usize size)
{
    (void)mode;
    give_buffer(file, size ? buffer : NULL);
    return __irkiss_nondet_bool() ? -1 : 0;
}

void setbuf(void *file, char *buffer) { give_buffer(file, buffer); }
void setbuffer(void *file, char *buffer, usize size) { give_buffer(file, size ? buffer : NULL); }

/* ---- Begin and end. ---- */
static void *opened(void)
{
    void *file;
    if (__irkiss_nondet_bool()) {
        irkiss_set_errno((int)(__irkiss_nondet_u8() & 127));
        return NULL;
    }
    file = __irkiss_alloc(STREAM, 1);
    __irkiss_ghost_set(file, IRKISS_GHOST_LIFE, OPENED);
    return file;
}

void *fopen(const char *path, const char *mode)
{
    __irkiss_print_string(path, ~0ull);
    __irkiss_print_string(mode, ~0ull);
    return opened();
}

void *fopen64(const char *path, const char *mode) { return fopen(path, mode); }

void *fdopen(int number, const char *mode)
{
    if (irkiss_is_known_file(number))
        __irkiss_unsupported("a stream over a pipe (fdopen)");
    __irkiss_print_string(mode, ~0ull);
    return opened();
}

void *popen(const char *command, const char *mode) { __irkiss_print_string(mode, ~0ull); __irkiss_print_string(command, ~0ull); return opened(); }
void *tmpfile(void) { return opened(); }

/* ---- Streams that end in memory: where that is, and how much, the program is told as they are flushed and closed. ---- */
enum { TOLD_START = IRKISS_GHOST_PTHREAD + 6, TOLD_LENGTH = IRKISS_GHOST_PTHREAD + 7 };
#define MEMORY 64

IRKISS_ASSUMES("allocation-succeeds")
void *open_memstream(char **start, usize *length)
{
    void *file = opened();
    if (!file)
        return NULL;
    __irkiss_atomic_begin();
    __irkiss_ghost_set(file, IRKISS_GHOST_HANDLE, (u64)(uptr)irkiss_allocate(MEMORY, 1));
    __irkiss_ghost_set(file, TOLD_START, (u64)(uptr)start);
    __irkiss_ghost_set(file, TOLD_LENGTH, (u64)(uptr)length);
    __irkiss_atomic_end();
    return file;
}

/* Nothing in programs without such streams. */
void irkiss_flushed(const void *file)
{
    u64 start, length, memory;
    usize bytes = (usize)(__irkiss_nondet_u8() & (MEMORY / 2 - 1));
    __irkiss_atomic_begin();
    start = __irkiss_ghost_get(file, TOLD_START);
    length = __irkiss_ghost_get(file, TOLD_LENGTH);
    memory = __irkiss_ghost_get(file, IRKISS_GHOST_HANDLE);
    __irkiss_atomic_end();
    if (start == 0)
        return;
    __irkiss_havoc((void *)(uptr)memory, MEMORY / 2);
    *(void **)(uptr)start = (void *)(uptr)memory;
    *(usize *)(uptr)length = bytes;
}

int fflush(void *file)
{
    if (file) {
        irkiss_uses(file);
        irkiss_flushed(file);
    }
    return any();
}

/* To use it, or to close it, is to use its memory; one that was not opened here is not known to end. */
void irkiss_must_be_open(const void *file)
{
    if (__irkiss_property(IRKISS_UAF)) {
        u64 life;
        IRKISS_ATOMIC(life = __irkiss_ghost_get(file, IRKISS_GHOST_LIFE));
        /* A byte that nobody writes. */
        if (life != 0)
            (void)*((const volatile u8 *)file + 8);
    }
}

static int closed(void *file)
{
    u64 life;
    irkiss_uses(file);
    irkiss_flushed(file);
    __irkiss_atomic_begin();
    life = __irkiss_ghost_get(file, IRKISS_GHOST_LIFE);
    if (life == OPENED)
        __irkiss_ghost_set(file, IRKISS_GHOST_LIFE, CLOSED);
    __irkiss_atomic_end();
    if (life == OPENED)
        __irkiss_free(file);
    return any();
}

int fclose(void *file) { irkiss_cancellation_point(); return closed(file) ? EOF : 0; }
int pclose(void *file) { irkiss_cancellation_point(); return closed(file); }

/* Input and output. Output has no effect on the program: only its result is arbitrary (it may fail), and what is printed is read:
 * the frontend takes formats apart (src/frontend/close/scan.rs), and the functions that begin with __irkiss_ are what it makes of
 * them. Input is arbitrary, as long as may be. A FILE is locked by the functions that use it (POSIX: flockfile). */
#include "irkiss_pthread.h"

/* In this folder: answers are made so that 0 from outside is the usual course of things, since runs begin with zeros (src/concrete): what
 * is written is written whole, input comes to its end. */
usize strlen(const char *s);

#define ANY ((int)__irkiss_nondet_u32())

/* How much was done of what was asked for; -1: it failed. */
static ssize done(usize most)
{
    u64 bytes = __irkiss_nondet_u64();
    if (bytes <= most)
        return (ssize)bytes;
    irkiss_set_errno((int)(__irkiss_nondet_u8() & 127));
    return -1;
}

/* The same of output, by what is missing: nothing, usually. */
ssize irkiss_written(usize most)
{
    u64 missing = __irkiss_nondet_u64();
    if (missing <= most)
        return (ssize)(most - missing);
    irkiss_set_errno((int)(__irkiss_nondet_u8() & 127));
    return -1;
}

/* The same of a stream, which gives a number of items in any case. */
usize irkiss_items(usize count)
{
    u64 missing = __irkiss_nondet_u64();
    return missing < count ? count - (usize)missing : 0;
}

/* ---- Places in streams. ---- */
void __irkiss_print_string(const char *s, u64 precision);

/* fpos_t has 16 bytes. */
int fgetpos(void *file, void *place)
{
    irkiss_uses(file);
    if (__irkiss_nondet_bool())
        return -1;
    __irkiss_havoc(place, 16);
    return 0;
}

int fsetpos(void *file, const void *place)
{
    irkiss_uses(file);
    __irkiss_touch(place, 16);
    return __irkiss_nondet_bool() ? -1 : 0;
}

/* ---- What formats read and write. ---- */
/* A string is read to its end, or as far as the precision says; a null pointer is printed as such. */
void __irkiss_print_string(const char *s, u64 precision)
{
    u64 n = 0;
    if (!s)
        return;
    IRKISS_FOLLOWED
    while (n < precision && s[n])
        n++;
}

void __irkiss_print_count(void *to, u64 size) { __irkiss_havoc(to, size); }

/* How many conversions were made of the text, or of what a file gives; -1: it ended before. */
int __irkiss_scan(const char *text, int conversions)
{
    u32 missing = __irkiss_nondet_u8();
    if (text)
        __irkiss_print_string(text, ~0ull);
    return missing <= (u32)conversions ? conversions - (int)missing : -1;
}

void __irkiss_scanned(int made, int number, void *result, u64 size)
{
    if (number < made)
        __irkiss_havoc(result, size);
}

/* A string of at most `width` characters (0: any number). */
void __irkiss_scanned_text(int made, int number, char *result, u64 width)
{
    u64 length = 1 + (__irkiss_nondet_u8() & 15);
    if (number >= made)
        return;
    length = width && length > width ? width : length;
    IRKISS_FOLLOWED
    for (u64 n = 0; n < length; n++)
        result[n] = (char)(__irkiss_nondet_u8() | 1);
    result[length] = 0;
}

/* ---- Output. ---- */
int printf(const char *format, ...) { (void)format; irkiss_standard_output(); return ANY; }
int fprintf(void *file, const char *format, ...) { (void)format; irkiss_uses(file); return ANY; }
int vprintf(const char *format, __builtin_va_list rest) { (void)format, (void)rest; irkiss_standard_output(); return ANY; }
int vfprintf(void *file, const char *format, __builtin_va_list rest)
{
    (void)format, (void)rest;
    irkiss_uses(file);
    return ANY;
}
int __printf_chk(int flag, const char *format, ...) { (void)flag, (void)format; irkiss_standard_output(); return ANY; }
int __fprintf_chk(void *file, int flag, const char *format, ...) { (void)flag, (void)format; irkiss_uses(file); return ANY; }
int __vfprintf_chk(void *file, int flag, const char *format, __builtin_va_list rest)
{
    (void)flag, (void)format, (void)rest;
    irkiss_uses(file);
    return ANY;
}
void syslog(int priority, const char *format, ...) { (void)priority, (void)format; }
void vsyslog(int priority, const char *format, __builtin_va_list rest) { (void)priority, (void)format, (void)rest; }
void warn(const char *format, ...) { (void)format; }
void warnx(const char *format, ...) { (void)format; }
void perror(const char *prefix) { __irkiss_print_string(prefix, ~0ull); }
int putchar(int c) { (void)c; irkiss_standard_output(); return ANY; }
int putc(int c, void *file) { (void)c; irkiss_uses(file); return ANY; }
int fputc(int c, void *file) { (void)c; irkiss_uses(file); return ANY; }

int puts(const char *s)
{
    irkiss_standard_output();
    __irkiss_print_string(s, ~0ull);
    return ANY;
}

int fputs(const char *s, void *file)
{
    irkiss_uses(file);
    __irkiss_print_string(s, ~0ull);
    return ANY;
}

usize fwrite(const void *items, usize size, usize count, void *file)
{
    irkiss_uses(file);
    __irkiss_touch(items, size * count);
    return irkiss_items(count);
}

ssize irkiss_sent(const void *bytes, usize count)
{
    __irkiss_touch(bytes, count);
    return irkiss_written(count);
}

ssize pwrite(int file, const void *bytes, usize count, long offset)
{
    (void)file, (void)offset;
    irkiss_cancellation_point();
    return irkiss_sent(bytes, count);
}

/* ---- Input. ---- */
/* -1 at its end. */
static int character(void) { return __irkiss_nondet_bool() ? (int)__irkiss_nondet_u8() : -1; }
int getchar(void) { irkiss_standard_input(); return character(); }
int getc(void *file) { irkiss_uses(file); return character(); }
int fgetc(void *file) { irkiss_uses(file); return character(); }

static ssize receive(void *bytes, usize count)
{
    ssize got = done(count);
    if (got > 0)
        __irkiss_havoc(bytes, count);
    return got;
}

ssize irkiss_read(void *bytes, usize count) { return receive(bytes, count); }

ssize pread(int file, void *bytes, usize count, long offset)
{
    (void)file, (void)offset;
    irkiss_cancellation_point();
    return receive(bytes, count);
}

usize fread(void *items, usize size, usize count, void *file)
{
    u64 got = __irkiss_nondet_u64();
    irkiss_uses(file);
    got = got < count ? got : count;
    if (got)
        __irkiss_havoc(items, size * count);
    return (usize)got;
}

/* A line of at most `size` bytes, its end included. */
char *irkiss_line(char *line, int size)
{
    if (size < 2 || !__irkiss_nondet_bool())
        return NULL;
    int length = 1 + (int)(__irkiss_nondet_u8() & 15);
    length = length < size ? length : size - 1;
    IRKISS_FOLLOWED
    for (int n = 0; n < length; n++)
        line[n] = (char)__irkiss_nondet_u8();
    line[length] = 0;
    return line;
}

char *fgets(char *line, int size, void *file)
{
    irkiss_uses(file);
    return irkiss_line(line, size);
}

char *__fgets_chk(char *line, usize room, int size, void *file) { (void)room; return fgets(line, size, file); }

/* Lines of up to 15 characters; the buffer is the function's to make and to grow, which it may have to for any line (--property uaf). */
IRKISS_ASSUMES("allocation-succeeds")
ssize getdelim(char **line, usize *size, int end, void *file)
{
    irkiss_uses(file);
    if (!*line || *size < 17) {
        *line = irkiss_reallocate(*line, 32);
        *size = 32;
    } else if (__irkiss_property(IRKISS_UAF)) {
        if (__irkiss_nondet_bool()) {
            *line = irkiss_reallocate(*line, 64);
            *size = 64;
        }
    }
    if (!__irkiss_nondet_bool())
        return -1;
    ssize length = 1 + (ssize)(__irkiss_nondet_u8() & 15);
    IRKISS_FOLLOWED
    for (ssize n = 0; n + 1 < length; n++)
        (*line)[n] = (char)__irkiss_nondet_u8();
    (*line)[length - 1] = (char)end;
    (*line)[length] = 0;
    return length;
}

ssize getline(char **line, usize *size, void *file) { return getdelim(line, size, '\n', file); }
ssize __getdelim(char **line, usize *size, int end, void *file) { return getdelim(line, size, end, file); }

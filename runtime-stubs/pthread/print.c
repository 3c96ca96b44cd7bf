/* What is printed into memory (C17 7.21.6.1): the frontend takes the format apart (src/frontend/close/scan.rs), each part of it is a call that
 * goes on where the one before has ended, and says where the next one does. */
#include "irkiss_pthread.h"

void *malloc(usize size);

static void put(char *to, u64 size, u64 at, char c)
{
    if (at + 1 < size)
        to[at] = c;
}

static u64 fill(char *to, u64 size, u64 at, u64 count, char c)
{
    IRKISS_FOLLOWED_TWICE
    for (u64 n = 0; n < count; n++)
        put(to, size, at + n, c);
    return at + count;
}

u64 __irkiss_put_text(char *to, u64 size, u64 at, const char *text, u64 length)
{
    IRKISS_TO_THE_END
    for (u64 n = 0; n < length; n++)
        put(to, size, at + n, text[n]);
    return at + length;
}

/* How a conversion is printed: in the low byte the base, above it what flags say. */
enum { SIGNED = 0x100, UPPER = 0x200, PREFIX = 0x400, PLUS = 0x800, SPACE = 0x1000, ZEROES = 0x2000, LEFT = 0x4000 };

/* A negative width (of an argument) means the left; a negative precision is none. */
#define SETTLE(how, width) \
    do { \
        if ((s64)(width) < 0) { \
            (how) |= LEFT; \
            (width) = -(width); \
        } \
    } while (0)

/* A string, as far as the precision says. */
u64 __irkiss_put_string(char *to, u64 size, u64 at, const char *s, u32 how, u64 width, u64 precision)
{
    u64 length = 0;
    SETTLE(how, width);
    if (!s)
        s = "(null)";
    IRKISS_FOLLOWED
    while (length < precision && s[length])
        length++;
    u64 pad = length < width ? width - length : 0;
    if (!(how & LEFT))
        at = fill(to, size, at, pad, ' ');
    IRKISS_FOLLOWED
    for (u64 n = 0; n < length; n++)
        put(to, size, at + n, s[n]);
    at += length;
    return how & LEFT ? fill(to, size, at, pad, ' ') : at;
}

u64 __irkiss_put_character(char *to, u64 size, u64 at, u32 c, u32 how, u64 width)
{
    SETTLE(how, width);
    u64 pad = width > 1 ? width - 1 : 0;
    if (!(how & LEFT))
        at = fill(to, size, at, pad, ' ');
    put(to, size, at, (char)c);
    at++;
    return how & LEFT ? fill(to, size, at, pad, ' ') : at;
}

/* Digits that a number of 64 bits has at most. */
#define DIGITS 24

/* A precision of ~0 is none. */
u64 __irkiss_put_number(char *to, u64 size, u64 at, u64 value, u32 how, u64 width, u64 precision)
{
    char text[DIGITS];
    SETTLE(how, width);
    if ((s64)precision < 0)
        precision = ~0ull;
    u32 base = how & 0xff;
    _Bool negative = (how & SIGNED) && (s64)value < 0;
    u64 rest = negative ? -value : value, length = 0;
    IRKISS_FOLLOWED_TWICE
    for (u32 n = 0; n < DIGITS; n++) {
        u32 digit = (u32)(rest % base);
        text[DIGITS - 1 - n] = (char)(digit < 10 ? '0' + digit : (how & UPPER ? 'A' : 'a') + digit - 10);
        if (rest || n == 0)
            length = n + 1;
        rest /= base;
        if (!rest)
            break;
    }
    if (value == 0 && precision == 0)
        length = 0;
    char sign = negative ? '-' : how & SIGNED ? (how & PLUS ? '+' : how & SPACE ? ' ' : 0) : 0;
    _Bool prefix = (how & PREFIX) && base == 16 && value != 0;
    u64 zeroes = precision != ~0ull && precision > length ? precision - length : 0;
    if ((how & PREFIX) && base == 8 && !zeroes && (value != 0 || length == 0))
        zeroes = 1;
    u64 all = length + zeroes + (sign ? 1 : 0) + (prefix ? 2 : 0);
    u64 pad = all < width ? width - all : 0;
    if ((how & ZEROES) && !(how & LEFT) && precision == ~0ull) {
        zeroes += pad;
        pad = 0;
    }
    if (!(how & LEFT))
        at = fill(to, size, at, pad, ' ');
    if (sign)
        put(to, size, at++, sign);
    if (prefix) {
        put(to, size, at, '0');
        put(to, size, at + 1, how & UPPER ? 'X' : 'x');
        at += 2;
    }
    at = fill(to, size, at, zeroes, '0');
    IRKISS_FOLLOWED_TWICE
    for (u64 n = 0; n < DIGITS; n++)
        if (n < length)
            put(to, size, at + n, text[DIGITS - length + n]);
    at += length;
    return how & LEFT ? fill(to, size, at, pad, ' ') : at;
}

/* Something of which nothing is known but that no byte of it ends the text. */
IRKISS_ANY_ANSWER
u64 __irkiss_put_any(char *to, u64 size, u64 at)
{
    u64 length = __irkiss_nondet_u8() & 31;
    IRKISS_FOLLOWED_TWICE
    for (u64 n = 0; n < length; n++)
        put(to, size, at + n, (char)(__irkiss_nondet_u8() | 1));
    return at + length;
}

/* Ends the text; its length, had there been room. */
int __irkiss_put_end(char *to, u64 size, u64 at)
{
    if (size)
        to[at < size ? at : size - 1] = 0;
    return (int)at;
}

/* ---- Texts that are made as long as they need be. ---- */
#define ROOM 128

char *__irkiss_new_text(void) { return malloc(ROOM); }

/* Unless there is no memory for it. */
int __irkiss_keep_text(char **to, char *text, u64 at)
{
    if (__irkiss_nondet_bool()) {
        __irkiss_free(text);
        return -1;
    }
    *to = text;
    return __irkiss_put_end(text, ROOM, at);
}

/* ---- What is not taken apart. ---- */
static int put_all(char *to, u64 size) { return __irkiss_put_end(to, size, __irkiss_put_any(to, size, 0)); }

int sprintf(char *to, const char *format, ...) { (void)format; return put_all(to, ~0ull); }
int snprintf(char *to, usize size, const char *format, ...) { (void)format; return put_all(to, size); }
int vsprintf(char *to, const char *format, __builtin_va_list rest) { (void)format, (void)rest; return put_all(to, ~0ull); }
int vsnprintf(char *to, usize size, const char *format, __builtin_va_list rest)
{
    (void)format, (void)rest;
    return put_all(to, size);
}
int __vsnprintf_chk(char *to, usize size, int flag, usize room, const char *format, __builtin_va_list rest)
{
    (void)flag, (void)room, (void)format, (void)rest;
    return put_all(to, size);
}
int __vsprintf_chk(char *to, int flag, usize room, const char *format, __builtin_va_list rest)
{
    (void)flag, (void)room, (void)format, (void)rest;
    return put_all(to, ~0ull);
}

static int put_new(char **to)
{
    char *text = __irkiss_new_text();
    return __irkiss_keep_text(to, text, __irkiss_put_any(text, ROOM, 0));
}

int asprintf(char **to, const char *format, ...) { (void)format; return put_new(to); }
int vasprintf(char **to, const char *format, __builtin_va_list rest) { (void)format, (void)rest; return put_new(to); }
int __asprintf_chk(char **to, int flag, const char *format, ...) { (void)flag, (void)format; return put_new(to); }

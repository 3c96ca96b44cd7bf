/* Wide strings (wchar_t has four bytes), and what turns texts of one kind into another. */
#include "irkiss_pthread.h"

typedef s32 wide;
void __irkiss_print_string(const char *s, u64 precision);

usize wcslen(const wide *s)
{
    usize n = 0;
    IRKISS_FOLLOWED
    while (s[n])
        n++;
    return n;
}

wide *wcsncpy(wide *to, const wide *from, usize most)
{
    _Bool ended = 0;
    IRKISS_FOLLOWED
    for (usize n = 0; n < most; n++) {
        to[n] = ended ? 0 : from[n];
        ended = to[n] == 0;
    }
    return to;
}

wide *wcscpy(wide *to, const wide *from)
{
    usize n = 0;
    IRKISS_FOLLOWED
    while ((to[n] = from[n]) != 0)
        n++;
    return to;
}

wide *wcscat(wide *to, const wide *from)
{
    wcscpy(to + wcslen(to), from);
    return to;
}

int wcscmp(const wide *a, const wide *b)
{
    usize n = 0;
    IRKISS_FOLLOWED
    while (a[n] && a[n] == b[n])
        n++;
    return a[n] < b[n] ? -1 : a[n] > b[n];
}

wide *wcschr(const wide *s, wide c)
{
    usize n = 0;
    IRKISS_FOLLOWED
    while (s[n] && s[n] != c)
        n++;
    return s[n] == c ? (wide *)s + n : NULL;
}

wide *wmemcpy(wide *to, const wide *from, usize count) { return __builtin_memcpy(to, from, count * sizeof(wide)); }
wide *wmemmove(wide *to, const wide *from, usize count) { return __builtin_memmove(to, from, count * sizeof(wide)); }

wide *wmemset(wide *to, wide c, usize count)
{
    IRKISS_FOLLOWED
    for (usize n = 0; n < count; n++)
        to[n] = c;
    return to;
}

IRKISS_ASSUMES("allocation-succeeds")
wide *wcsdup(const wide *s)
{
    wide *copy = irkiss_allocate((wcslen(s) + 1) * sizeof(wide), 0);
    return wcscpy(copy, s);
}

/* ---- Texts of other kinds: what they become is arbitrary, and no longer. ---- */
/* So many characters, and an end where there is room. */
static usize text(u8 *to, usize bytes, usize length, usize room)
{
    length = length < room ? length : room;
    if (to && length)
        __irkiss_havoc(to, length * bytes);
    if (to && length < room)
        __builtin_memset(to + length * bytes, 0, bytes);
    return length;
}

usize mbstowcs(wide *to, const char *from, usize room)
{
    __irkiss_print_string(from, ~0ull);
    return text((u8 *)to, sizeof(wide), __irkiss_nondet_u8() & 15, room);
}

usize wcstombs(char *to, const wide *from, usize room)
{
    wcslen(from);
    return text((u8 *)to, 1, __irkiss_nondet_u8() & 15, room);
}

int swprintf(wide *to, usize room, const wide *format, ...)
{
    wcslen(format);
    return (int)text((u8 *)to, sizeof(wide), __irkiss_nondet_u8() & 15, room);
}

void swab(const void *from, void *to, ssize count)
{
    if (count < 2)
        return;
    __irkiss_touch(from, (u64)count & ~1ull);
    __irkiss_havoc(to, (u64)count & ~1ull);
}

/* What is converted so far is kept in the converter. */
void *iconv_open(const char *to, const char *from)
{
    __irkiss_print_string(to, ~0ull);
    __irkiss_print_string(from, ~0ull);
    return __irkiss_nondet_bool() ? (void *)~(uptr)0 : __irkiss_alloc(16, 1);
}

usize iconv(void *converter, char **from, usize *left, char **to, usize *room)
{
    __irkiss_havoc(converter, 4);
    if (!from || !*from)
        return 0;
    usize count = *left < *room ? *left : *room, missing = __irkiss_nondet_u8();
    count = missing < count ? count - missing : 0;
    __irkiss_touch(*from, *left);
    if (count)
        __irkiss_havoc(*to, count);
    *from += count;
    *left -= count;
    *to += count;
    *room -= count;
    return *left ? ~(usize)0 : 0;
}

int iconv_close(void *converter)
{
    __irkiss_free(converter);
    return 0;
}

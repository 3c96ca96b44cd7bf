/* Strings, byte by byte as the functions are defined. Their loops count against --unwind like the program's own. */
#include "irkiss_internal.h"

void *malloc(usize size);

int memcmp(const void *a, const void *b, usize bytes)
{
    const u8 *x = a, *y = b;
    for (usize n = 0; n < bytes; n++)
        if (x[n] != y[n])
            return x[n] < y[n] ? -1 : 1;
    return 0;
}

int bcmp(const void *a, const void *b, usize bytes) { return memcmp(a, b, bytes); }

void *memchr(const void *object, int byte, usize bytes)
{
    const u8 *p = object;
    for (usize n = 0; n < bytes; n++)
        if (p[n] == (u8)byte)
            return (void *)(p + n);
    return NULL;
}

usize strlen(const char *s)
{
    usize n = 0;
    while (s[n])
        n++;
    return n;
}

usize strnlen(const char *s, usize most)
{
    usize n = 0;
    while (n < most && s[n])
        n++;
    return n;
}

int strcmp(const char *a, const char *b)
{
    usize n = 0;
    while (a[n] && a[n] == b[n])
        n++;
    return (u8)a[n] - (u8)b[n];
}

int strncmp(const char *a, const char *b, usize most)
{
    for (usize n = 0; n < most; n++)
        if (a[n] != b[n] || !a[n])
            return (u8)a[n] - (u8)b[n];
    return 0;
}

char *strcpy(char *to, const char *from)
{
    usize n = 0;
    while ((to[n] = from[n]))
        n++;
    return to;
}

char *stpcpy(char *to, const char *from)
{
    while ((*to = *from)) {
        to++;
        from++;
    }
    return to;
}

char *strncpy(char *to, const char *from, usize most)
{
    usize n = 0;
    for (; n < most && from[n]; n++)
        to[n] = from[n];
    for (; n < most; n++)
        to[n] = 0;
    return to;
}

char *strcat(char *to, const char *from)
{
    strcpy(to + strlen(to), from);
    return to;
}

char *strchr(const char *s, int byte)
{
    for (;; s++) {
        if (*s == (char)byte)
            return (char *)s;
        if (!*s)
            return NULL;
    }
}

char *strrchr(const char *s, int byte)
{
    char *last = NULL;
    for (;; s++) {
        if (*s == (char)byte)
            last = (char *)s;
        if (!*s)
            return last;
    }
}

char *strdup(const char *s)
{
    usize bytes = strlen(s) + 1;
    return __builtin_memcpy(malloc(bytes), s, bytes);
}

int atoi(const char *s)
{
    int value = 0;
    _Bool negative = *s == '-';
    if (*s == '-' || *s == '+')
        s++;
    for (; *s >= '0' && *s <= '9'; s++)
        value = value * 10 + (*s - '0');
    return negative ? -value : value;
}

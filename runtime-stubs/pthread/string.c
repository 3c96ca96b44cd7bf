/* Strings, byte by byte as the functions are defined. Their loops go round IRKISS_FOLLOWED times where the content is not known;
 * `irkiss_constant__NAME` is the model of calls of NAME with a constant string, which is compared to its end. Functions that may
 * look at all of what they are given do so. */
#include "irkiss_pthread.h"

void *malloc(usize size);

static u8 lower(u8 c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

int memcmp(const void *a, const void *b, usize bytes)
{
    const u8 *x = a, *y = b;
    int result = 0;
    for (usize n = 0; n < bytes; n++) {
        int difference = x[n] - y[n];
        result = result ? result : difference;
    }
    return result;
}

int bcmp(const void *a, const void *b, usize bytes) { return memcmp(a, b, bytes); }

void *memchr(const void *object, int byte, usize bytes)
{
    const u8 *p = object;
    IRKISS_FOLLOWED
    for (usize n = 0; n < bytes; n++)
        if (p[n] == (u8)byte)
            return (void *)(p + n);
    return NULL;
}

void *memrchr(const void *object, int byte, usize bytes)
{
    const u8 *p = object;
    IRKISS_FOLLOWED
    for (usize n = bytes; n > 0; n--)
        if (p[n - 1] == (u8)byte)
            return (void *)(p + n - 1);
    return NULL;
}

usize strlen(const char *s)
{
    usize n = 0;
    IRKISS_FOLLOWED
    while (s[n])
        n++;
    return n;
}

usize strnlen(const char *s, usize most)
{
    usize n = 0;
    IRKISS_FOLLOWED
    while (n < most && s[n])
        n++;
    return n;
}

#define COMPARE(name, loop, most_parameter, more, character) \
    int name(const char *a, const char *b most_parameter) \
    { \
        usize n = 0; \
        loop while (more) \
        { \
            u8 x = character((u8)a[n]), y = character((u8)b[n]); \
            if (x != y || !x || !y) \
                return x - y; \
            n++; \
        } \
        return 0; \
    }
#define NOTHING
#define MOST , usize most
#define SAME(c) (c)

COMPARE(strcmp, IRKISS_FOLLOWED, NOTHING, 1, SAME)
COMPARE(strncmp, IRKISS_FOLLOWED, MOST, n < most, SAME)
COMPARE(strcasecmp, IRKISS_FOLLOWED, NOTHING, 1, lower)
COMPARE(strncasecmp, IRKISS_FOLLOWED, MOST, n < most, lower)
COMPARE(strcoll, IRKISS_FOLLOWED, NOTHING, 1, SAME)
COMPARE(irkiss_constant__strcmp, IRKISS_TO_THE_END, NOTHING, 1, SAME)
COMPARE(irkiss_constant__strncmp, IRKISS_TO_THE_END, MOST, n < most, SAME)
COMPARE(irkiss_constant__strcasecmp, IRKISS_TO_THE_END, NOTHING, 1, lower)
COMPARE(irkiss_constant__strncasecmp, IRKISS_TO_THE_END, MOST, n < most, lower)
COMPARE(irkiss_constant__strcoll, IRKISS_TO_THE_END, NOTHING, 1, SAME)

char *stpcpy(char *to, const char *from)
{
    usize n = 0;
    IRKISS_FOLLOWED
    while (from[n]) {
        to[n] = from[n];
        n++;
    }
    to[n] = 0;
    return to + n;
}

char *strcpy(char *to, const char *from)
{
    stpcpy(to, from);
    return to;
}

char *strncpy(char *to, const char *from, usize most)
{
    _Bool ended = 0;
    for (usize n = 0; n < most; n++) {
        char c = ended ? 0 : from[n];
        to[n] = c;
        ended = ended || !c;
    }
    return to;
}

char *stpncpy(char *to, const char *from, usize most)
{
    usize length = strnlen(from, most);
    strncpy(to, from, most);
    return to + length;
}

/* Up to that byte, or so many. */
void *memccpy(void *to, const void *from, int byte, usize most)
{
    u8 *a = to;
    const u8 *b = from;
    IRKISS_FOLLOWED
    for (usize n = 0; n < most; n++) {
        a[n] = b[n];
        if (b[n] == (u8)byte)
            return a + n + 1;
    }
    return NULL;
}

char *strcat(char *to, const char *from)
{
    strcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *to, const char *from, usize most)
{
    char *end = to + strlen(to);
    usize n = 0;
    IRKISS_FOLLOWED
    while (n < most && from[n]) {
        end[n] = from[n];
        n++;
    }
    end[n] = 0;
    return to;
}

usize strlcpy(char *to, const char *from, usize size)
{
    usize n = 0;
    IRKISS_FOLLOWED
    while (from[n]) {
        if (n + 1 < size)
            to[n] = from[n];
        n++;
    }
    if (size)
        to[n < size ? n : size - 1] = 0;
    return n;
}

usize strlcat(char *to, const char *from, usize size)
{
    usize before = strnlen(to, size);
    return before + strlcpy(to + before, from, size - before);
}

char *__strcpy_chk(char *to, const char *from, usize room) { (void)room; return strcpy(to, from); }
char *__strcat_chk(char *to, const char *from, usize room) { (void)room; return strcat(to, from); }
char *__stpcpy_chk(char *to, const char *from, usize room) { (void)room; return stpcpy(to, from); }
char *__strncpy_chk(char *to, const char *from, usize most, usize room) { (void)room; return strncpy(to, from, most); }
char *__strncat_chk(char *to, const char *from, usize most, usize room) { (void)room; return strncat(to, from, most); }

char *strchrnul(const char *s, int byte)
{
    IRKISS_FOLLOWED
    for (;; s++)
        if (*s == (char)byte || !*s)
            return (char *)s;
}

char *strchr(const char *s, int byte)
{
    char *found = strchrnul(s, byte);
    return *found == (char)byte ? found : NULL;
}

char *index(const char *s, int byte) { return strchr(s, byte); }

char *strrchr(const char *s, int byte)
{
    char *last = NULL;
    IRKISS_FOLLOWED
    for (;; s++) {
        if (*s == (char)byte)
            last = (char *)s;
        if (!*s)
            return last;
    }
}

char *rindex(const char *s, int byte) { return strrchr(s, byte); }

/* Whether a string begins with another. */
static _Bool begins(const char *s, const char *with)
{
    usize n = 0;
    IRKISS_TO_THE_END
    while (with[n]) {
        if (s[n] != with[n])
            return 0;
        n++;
    }
    return 1;
}

char *strstr(const char *s, const char *what)
{
    IRKISS_FOLLOWED
    for (;; s++) {
        if (begins(s, what))
            return (char *)s;
        if (!*s)
            return NULL;
    }
}

char *strcasestr(const char *s, const char *what)
{
    IRKISS_FOLLOWED
    for (;; s++) {
        usize n = 0;
        IRKISS_TO_THE_END
        while (what[n] && lower((u8)s[n]) == lower((u8)what[n]))
            n++;
        if (!what[n])
            return (char *)s;
        if (!*s)
            return NULL;
    }
}

void *memmem(const void *object, usize bytes, const void *what, usize length)
{
    const u8 *p = object;
    IRKISS_FOLLOWED
    for (usize n = 0; n + length <= bytes; n++)
        if (memcmp(p + n, what, length) == 0)
            return (void *)(p + n);
    return NULL;
}

void *rawmemchr(const void *object, int byte)
{
    const u8 *p = object;
    IRKISS_FOLLOWED
    while (*p != (u8)byte)
        p++;
    return (void *)p;
}

static _Bool is_in(char c, const char *set)
{
    usize n = 0;
    IRKISS_TO_THE_END
    while (set[n]) {
        if (set[n] == c)
            return 1;
        n++;
    }
    return 0;
}

usize strspn(const char *s, const char *set)
{
    usize n = 0;
    IRKISS_FOLLOWED
    while (s[n] && is_in(s[n], set))
        n++;
    return n;
}

usize strcspn(const char *s, const char *set)
{
    usize n = 0;
    IRKISS_FOLLOWED
    while (s[n] && !is_in(s[n], set))
        n++;
    return n;
}

char *strpbrk(const char *s, const char *set)
{
    s += strcspn(s, set);
    return *s ? (char *)s : NULL;
}

char *strtok_r(char *s, const char *set, char **next)
{
    char *start = s ? s : *next, *end;
    start += strspn(start, set);
    end = start + strcspn(start, set);
    if (*end) {
        *end = 0;
        *next = end + 1;
    } else {
        *next = end;
    }
    return *start || end != start ? start : NULL;
}

char *__strtok_r(char *s, const char *set, char **next) { return strtok_r(s, set, next); }

/* Where it goes on is hidden state of all threads. */
IRKISS_HIDDEN static char *strtok_state;
char *strtok(char *s, const char *set) { return strtok_r(s, set, &strtok_state); }

char *strsep(char **next, const char *set)
{
    char *start = *next, *end;
    if (!start)
        return NULL;
    end = start + strcspn(start, set);
    if (*end) {
        *end = 0;
        *next = end + 1;
    } else {
        *next = NULL;
    }
    return start;
}

char *strdup(const char *s)
{
    usize bytes = strlen(s) + 1;
    return __builtin_memcpy(malloc(bytes), s, bytes);
}

char *__strdup(const char *s) { return strdup(s); }

char *strndup(const char *s, usize most)
{
    usize bytes = strnlen(s, most);
    char *copy = malloc(bytes + 1);
    __builtin_memcpy(copy, s, bytes);
    copy[bytes] = 0;
    return copy;
}

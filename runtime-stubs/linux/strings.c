/* The string functions of the kernel's library, byte by byte as it has them (lib/string.c); copies of known length are one
 * access. */
#include "irkiss_linux.h"

void *memcpy(void *to, const void *from, usize n)
{
    __builtin_memcpy(to, from, n);
    return to;
}

void *__memcpy(void *to, const void *from, usize n)
{
    __builtin_memcpy(to, from, n);
    return to;
}

void *memmove(void *to, const void *from, usize n)
{
    __builtin_memmove(to, from, n);
    return to;
}

void *memset(void *to, int byte, usize n)
{
    __builtin_memset(to, byte, n);
    return to;
}

void *__memset(void *to, int byte, usize n)
{
    __builtin_memset(to, byte, n);
    return to;
}

/* Under sanitizers (include/linux/kasan-checks.h; clang's -asan-kernel-mem-intrinsic-prefix). */
#define SANITIZED(prefix) \
    void *prefix##_memcpy(void *to, const void *from, usize n) \
    { \
        return memcpy(to, from, n); \
    } \
    void *prefix##_memmove(void *to, const void *from, usize n) \
    { \
        return memmove(to, from, n); \
    } \
    void *prefix##_memset(void *to, int byte, usize n) \
    { \
        return memset(to, byte, n); \
    }
SANITIZED(__asan)
SANITIZED(__tsan)

int memcmp(const void *a, const void *b, usize n)
{
    const u8 *p = a, *q = b;
    for (usize i = 0; i < n; i++)
        if (p[i] != q[i])
            return (int)p[i] - (int)q[i];
    return 0;
}

int bcmp(const void *a, const void *b, usize n)
{
    return memcmp(a, b, n);
}

usize strlen(const char *s)
{
    usize n = 0;
    while (s[n])
        n++;
    return n;
}

usize strnlen(const char *s, usize max)
{
    usize n = 0;
    while (n < max && s[n])
        n++;
    return n;
}

int strcmp(const char *a, const char *b)
{
    usize i = 0;
    while (a[i] && a[i] == b[i])
        i++;
    return (int)(u8)a[i] - (int)(u8)b[i];
}

int strncmp(const char *a, const char *b, usize n)
{
    for (usize i = 0; i < n; i++)
        if (!a[i] || a[i] != b[i])
            return (int)(u8)a[i] - (int)(u8)b[i];
    return 0;
}

char *strcpy(char *to, const char *from)
{
    usize i = 0;
    while ((to[i] = from[i]))
        i++;
    return to;
}

char *strncpy(char *to, const char *from, usize n)
{
    usize i = 0;
    for (; i < n && from[i]; i++)
        to[i] = from[i];
    for (; i < n; i++)
        to[i] = 0;
    return to;
}

/* Number of characters copied, or -E2BIG. */
ssize strscpy(char *to, const char *from, usize n)
{
    usize i = 0;
    if (!n)
        return -7;
    for (; i < n - 1 && from[i]; i++)
        to[i] = from[i];
    to[i] = 0;
    return from[i] ? -7 : (ssize)i;
}

ssize sized_strscpy(char *to, const char *from, usize n)
{
    return strscpy(to, from, n);
}

usize strlcpy(char *to, const char *from, usize n)
{
    (void)strscpy(to, from, n);
    return strlen(from);
}

char *strchr(const char *s, int c)
{
    while (*s && *s != (char)c)
        s++;
    return *s == (char)c ? (char *)s : NULL;
}

/* Of what is read to its end, a part. Also what messages print (src/frontend/close/kernel_prints.rs). */
IRKISS_ASSUMES("part-of-whole")
void __irkiss_touch_part(const void *start, u64 size)
{
    __irkiss_touch(start, size);
}

char *strim(char *s)
{
    __irkiss_touch_part(s, 1);
    return s;
}

/* ---- Numbers from text: read, arbitrary. ---- */
#define PARSE(name, type, bits) \
    int name(const char *s, unsigned int, type *result) \
    { \
        __irkiss_touch_part(s, 1); \
        if (__irkiss_nondet_bool()) \
            return -EINVAL; \
        *result = (type)__irkiss_nondet_u##bits(); \
        return 0; \
    }
PARSE(kstrtoint, int, 32)
PARSE(kstrtouint, unsigned int, 32)
PARSE(kstrtoull, u64, 64)
PARSE(kstrtoll, s64, 64)
PARSE(_kstrtoul, unsigned long, 64)
PARSE(_kstrtol, long, 64)
PARSE(kstrtou8, u8, 8)
PARSE(kstrtou16, u16, 16)

int kstrtobool(const char *s, _Bool *result)
{
    __irkiss_touch_part(s, 1);
    if (__irkiss_nondet_bool())
        return -EINVAL;
    *result = __irkiss_nondet_bool();
    return 0;
}

unsigned long simple_strtoul(const char *s, char **end, unsigned int)
{
    __irkiss_touch_part(s, 1);
    if (end)
        *end = (char *)s + 1;
    return (unsigned long)__irkiss_nondet_u64();
}

/* ---- Time: between two looks at a clock any time may pass, and none goes back. ---- */
static const u8 jiffies_clock = 0, monotonic_clock = 0;

/* One step, as far as other threads can see: only the clock is looked at. */
static u64 tick(const u8 *clock)
{
    u64 now = __irkiss_ghost_get(clock, IRKISS_GHOST_TIME) + (__irkiss_nondet_u64() >> 16);
    __irkiss_ghost_set(clock, IRKISS_GHOST_TIME, now);
    return now;
}

u64 __irkiss_jiffies_64(void)
{
    return tick(&jiffies_clock);
}

u32 __irkiss_jiffies_32(void)
{
    return (u32)tick(&jiffies_clock);
}

u64 get_jiffies_64(void)
{
    return tick(&jiffies_clock);
}

s64 ktime_get(void)
{
    return (s64)(tick(&monotonic_clock) & ~0ull >> 1);
}

unsigned long __msecs_to_jiffies(unsigned int)
{
    return (unsigned long)(__irkiss_nondet_u64() >> 1);
}

unsigned int jiffies_to_msecs(unsigned long)
{
    return __irkiss_nondet_u32();
}

void get_random_bytes(void *to, usize n)
{
    __irkiss_havoc(to, n);
}

// irkiss: --unwind 6 ; expect: none ; lazy: yes ; forms: nopass
//
// Strings, memory, numbers: what the kernel's library answers.
#include "answers.h"

extern void *memcpy(void *, const void *, size_t), *__memcpy(void *, const void *, size_t), *memmove(void *, const void *, size_t);
extern void *memset(void *, int, size_t), *__memset(void *, int, size_t);
// Under sanitizers.
extern void *__asan_memcpy(void *, const void *, size_t), *__asan_memmove(void *, const void *, size_t), *__asan_memset(void *, int, size_t);
extern void *__tsan_memcpy(void *, const void *, size_t), *__tsan_memmove(void *, const void *, size_t), *__tsan_memset(void *, int, size_t);
extern int memcmp(const void *, const void *, size_t), bcmp(const void *, const void *, size_t);
extern size_t strlen(const char *), strnlen(const char *, size_t), strlcpy(char *, const char *, size_t), strlcat(char *, const char *, size_t);
extern int strcmp(const char *, const char *), strncmp(const char *, const char *, size_t);
extern char *strcpy(char *, const char *), *strncpy(char *, const char *, size_t), *strchr(const char *, int), *strim(char *);
extern ssize_t strscpy(char *, const char *, size_t), sized_strscpy(char *, const char *, size_t);
extern int snprintf(char *, size_t, const char *, ...), scnprintf(char *, size_t, const char *, ...), sysfs_emit(char *, const char *, ...);
extern int sprintf(char *, const char *, ...);
extern unsigned int _bcd2bin(unsigned char);
extern unsigned char _bin2bcd(unsigned int);
extern long long ktime_get(void);
extern unsigned long __msecs_to_jiffies(unsigned int), simple_strtoul(const char *, char **, unsigned int);
extern int sscanf(const char *, const char *, ...);

// As the compiler sees no body, it cannot know the answers; it would know those of a call by name.
#define CALL(function) ((__typeof__(&function))opaque((void *)function))
static __attribute__((noinline)) void *opaque(void *function)
{
    __asm__("" : "+r"(function));
    return function;
}

static char ab[] = "ab", to[8];

static void copies(void)
{
    CALL(memcpy)(to, ab, 3);
    CHECK(to[0] == 'a' && to[1] == 'b' && to[2] == 0);
    CALL(memset)(to, 'x', 4);
    CHECK(to[0] == 'x' && to[3] == 'x' && to[4] == 0);
    CALL(__memcpy)(to, ab, 2);
    CHECK(to[1] == 'b' && to[2] == 'x');
    CALL(__memset)(to, 0, 4);
    CHECK(to[0] == 0 && to[3] == 0);
    CALL(memmove)(to + 1, ab, 2);
    CHECK(to[1] == 'a');
    CHECK(__asan_memcpy(to, ab, 2) == to && to[0] == 'a' && __asan_memmove(to, to + 1, 1) == to && to[0] == 'b');
    CHECK(__asan_memset(to, 'x', 1) == to && to[0] == 'x');
    CHECK(__tsan_memcpy(to, ab, 2) == to && to[0] == 'a' && __tsan_memmove(to, to + 1, 1) == to && to[0] == 'b');
    CHECK(__tsan_memset(to, 'x', 1) == to && to[0] == 'x');
    CHECK(CALL(memcmp)(ab, "ab", 2) == 0 && CALL(memcmp)(ab, "ac", 2) < 0 && CALL(bcmp)(ab, "ac", 2) != 0);
    CHECK(CALL(bcmp)(ab, "ab", 2) == 0);
}

static void strings(void)
{
    CHECK(CALL(strlen)(ab) == 2 && CALL(strnlen)(ab, 1) == 1);
    CHECK(CALL(strcmp)(ab, "ab") == 0 && CALL(strcmp)(ab, "b") < 0);
    CHECK(CALL(strncmp)(ab, "ax", 1) == 0 && CALL(strncmp)(ab, "ax", 2) != 0);
    CHECK(CALL(strcpy)(to, ab) == to && to[1] == 'b' && to[2] == 0);
    to[3] = 'x';
    CHECK(CALL(strncpy)(to, "c", 4) == to && to[0] == 'c' && to[1] == 0 && to[3] == 0);
    CHECK(CALL(sized_strscpy)(to, ab, 8) == 2 && to[1] == 'b' && CALL(sized_strscpy)(to, ab, 2) == -7 && to[1] == 0);
    CHECK(CALL(strscpy)(to, ab, 8) == 2 && to[1] == 'b' && CALL(strscpy)(to, ab, 2) == -7 && to[1] == 0);
    CHECK(CALL(strlcpy)(to, ab, 8) == 2 && to[1] == 'b');
    to[7] = 'x';
    CHECK((long)CALL(strlcat)(to, "c", 8) >= 0 && to[7] == 0);
    CHECK(CALL(strchr)(ab, 'b') == ab + 1 && CALL(strchr)(ab, 'c') == NULL);
    CHECK(CALL(strim)(ab) == ab);
}

static void formats(void)
{
    char *end = NULL;
    int made, a = 1, b = 2;
    int length;
    to[7] = 'x';
    length = CALL(snprintf)(to, 8, "%d", 5);
    CHECK(length >= 0 && to[7] == 0);
    to[7] = 'x';
    length = CALL(scnprintf)(to, 8, "%d", 5);
    CHECK(length >= 0 && length < 8 && to[7] == 0);
    length = CALL(sysfs_emit)(to, "");
    CHECK(length >= 0 && length < 4096);
    length = CALL(sprintf)(to, "");
    CHECK(length >= 0 && length < 4096);
    simple_strtoul(ab, &end, 10);
    CHECK(end == ab + 1);
    CHECK(_bcd2bin(0x42) == 42 && _bin2bcd(42) == 0x42);
    CHECK(ktime_get() >= 0 && (long)__msecs_to_jiffies(5) >= 0);
    made = sscanf(ab, "%d %d", &a, &b);
    CHECK(made >= 0 && made <= 2);
    CHECK(made >= 1 || a == 1);
    CHECK(made >= 2 || b == 2);
}

static void answers(void)
{
    copies();
    strings();
    formats();
}

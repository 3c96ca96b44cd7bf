/* Patterns: what matches is arbitrary. A compiled pattern is read by those who use it, and written as it is made and given up. */
#include "irkiss_pthread.h"

void __irkiss_print_string(const char *s, u64 precision);
usize strlen(const char *s);

/* Of regex_t the first word stands for all of it. */
int regcomp(void *pattern, const char *text, int flags)
{
    (void)flags;
    __irkiss_print_string(text, ~0ull);
    __irkiss_havoc(pattern, sizeof(long));
    return (int)(__irkiss_nondet_u8() & 15);
}

struct match {
    int start, end;
};
enum { NOMATCH = 1, NO_PLACES = 1 << 3 };

int regexec(const void *pattern, const char *text, usize count, struct match *places, int flags)
{
    __irkiss_touch(pattern, sizeof(long));
    usize length = strlen(text);
    if (__irkiss_nondet_bool())
        return NOMATCH;
    IRKISS_FOLLOWED
    for (usize n = 0; n < count && places; n++) {
        u32 end = __irkiss_nondet_u32(), start = __irkiss_nondet_u32();
        _Bool is_there = n == 0 || __irkiss_nondet_bool();
        if (flags & NO_PLACES)
            break;
        end = end < length ? end : (u32)length;
        start = start < end ? start : end;
        places[n] = is_there ? (struct match){(int)start, (int)end} : (struct match){-1, -1};
    }
    return 0;
}

void regfree(void *pattern) { __irkiss_havoc(pattern, sizeof(long)); }

usize regerror(int error, const void *pattern, char *place, usize room)
{
    (void)error;
    usize length = __irkiss_nondet_u8() & 15;
    if (pattern)
        __irkiss_touch(pattern, sizeof(long));
    if (place && room) {
        usize kept = length < room ? length : room - 1;
        if (kept)
            __irkiss_havoc(place, kept);
        place[kept] = 0;
    }
    return length + 1;
}

/* ---- Names of files that match: of each call up to one. ---- */
struct names {
    usize count;
    char **all;
    usize before;
};
enum { ABORTED = 2 };

int glob(const char *pattern, int flags, int (*error)(const char *path, int number), struct names *names)
{
    (void)flags;
    __irkiss_print_string(pattern, ~0ull);
    if (error && __irkiss_nondet_bool()) {
        if (error(pattern, (int)(__irkiss_nondet_u8() & 127)))
            return ABORTED;
    }
    names->count = 0;
    names->all = NULL;
    if (__irkiss_nondet_bool())
        return 1 + (int)(__irkiss_nondet_u8() & 1) * 2;
    char **all = irkiss_allocate(2 * sizeof(char *), 1);
    all[0] = irkiss_allocate(16, 1);
    __irkiss_havoc(all[0], 15);
    names->all = all;
    names->count = 1;
    return 0;
}

void globfree(struct names *names)
{
    if (names->all) {
        __irkiss_free(names->all[0]);
        __irkiss_free(names->all);
        names->all = NULL;
    }
    names->count = 0;
}

/* ---- Parts of the program in memory: each is told, one after the other, until one answers anything. ---- */
int dl_iterate_phdr(int (*told)(void *part, usize bytes, void *context), void *context)
{
    int answer = 0;
    IRKISS_TO_THE_END
    for (int n = 0; n < 2 && answer == 0; n++)
        answer = told(__irkiss_lazy(64, "struct dl_phdr_info"), 64, context);
    return answer;
}

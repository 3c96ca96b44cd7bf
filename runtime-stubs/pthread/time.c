/* Time passes as it likes: waits may end at once. Clocks of the wall may be set, the others go on. A wait may be cut short by a
 * signal where the program looks at the result (failures.c), and is a place where a handler may run, or the thread be cancelled. */
#include "irkiss_pthread.h"

static void wait_here(void)
{
    irkiss_signals();
    irkiss_cancellation_point();
}

int sched_yield(void) { return 0; }
int pthread_yield(void) { return 0; }
IRKISS_ASSUMES("waits-complete")
unsigned sleep(unsigned seconds) { (void)seconds; wait_here(); return 0; }
IRKISS_ASSUMES("waits-complete")
int usleep(unsigned microseconds) { (void)microseconds; wait_here(); return 0; }
IRKISS_ASSUMES("waits-complete")
int nanosleep(const void *duration, void *remaining) { (void)duration, (void)remaining; wait_here(); return 0; }
IRKISS_ASSUMES("waits-complete")
int clock_nanosleep(int clock, int flags, const void *duration, void *remaining)
{
    (void)clock, (void)flags, (void)duration, (void)remaining;
    wait_here();
    return 0;
}

/* struct timespec and struct timeval. */
struct moment {
    long seconds, parts;
};

/* What clocks that only go on show. */
static struct moment going_on;

static struct moment later(long most)
{
    struct moment now;
    u32 step = __irkiss_nondet_u32(), parts = __irkiss_nondet_u32();
    __irkiss_atomic_begin();
    now = going_on;
    /* A later second, or more of this one. */
    if (step & 1) {
        now.seconds += (long)(step >> 8);
        now.seconds++;
        now.parts = 0;
    }
    now.parts += (long)(parts & 0xffff);
    if (now.parts >= most)
        now.parts = most - 1;
    going_on = now;
    __irkiss_atomic_end();
    return now;
}

static struct moment any(u32 mask)
{
    struct moment now = { (long)__irkiss_nondet_u32(), (long)(__irkiss_nondet_u32() & mask) };
    return now;
}

long time(long *out)
{
    long now = (long)__irkiss_nondet_u32();
    if (out)
        *out = now;
    return now;
}

long clock(void) { return later(1000000000).seconds; }

/* CLOCK_REALTIME, CLOCK_REALTIME_COARSE, CLOCK_TAI are of the wall. */
int clock_gettime(int clock, struct moment *out)
{
    _Bool wall = clock == 0 || clock == 5 || clock == 11;
    *out = wall ? any(0x1fffffff) : later(1000000000);
    return 0;
}

int timespec_get(struct moment *out, int base)
{
    *out = any(0x1fffffff);
    return base;
}

int clock_getres(int clock, struct moment *out)
{
    (void)clock;
    if (out)
        *out = any(0x1fffffff);
    return 0;
}

int gettimeofday(struct moment *out, void *zone)
{
    (void)zone;
    if (out)
        *out = any(0x7ffff);
    return 0;
}

/* ---- struct tm, in which all but the name of the zone is a number. ---- */
struct tm {
    int fields[9];
    long offset;
    const char *zone;
};

static void fill(struct tm *out)
{
    __irkiss_havoc(out->fields, sizeof out->fields);
    __irkiss_havoc(&out->offset, sizeof out->offset);
    out->zone = "UTC";
}

struct tm *localtime_r(const long *time, struct tm *out)
{
    __irkiss_touch(time, sizeof *time);
    fill(out);
    return out;
}

struct tm *gmtime_r(const long *time, struct tm *out) { return localtime_r(time, out); }

/* The one that these functions give all threads. */
IRKISS_HIDDEN static struct tm broken_down_time;
struct tm *localtime(const long *time) { return localtime_r(time, &broken_down_time); }
struct tm *gmtime(const long *time) { return localtime_r(time, &broken_down_time); }

long mktime(struct tm *time)
{
    __irkiss_havoc(time->fields, sizeof time->fields);
    return (long)__irkiss_nondet_u64();
}

long timegm(struct tm *time) { return mktime(time); }

/* "Thu Nov 26 06:55:09 2026\n" */
#define TEXT 26

static char *write_text(char *out)
{
    __irkiss_havoc(out, TEXT - 2);
    out[TEXT - 2] = '\n';
    out[TEXT - 1] = 0;
    return out;
}

char *asctime_r(const struct tm *time, char *out)
{
    __irkiss_touch(time->fields, sizeof time->fields);
    return write_text(out);
}

char *ctime_r(const long *time, char *out)
{
    __irkiss_touch(time, sizeof *time);
    return write_text(out);
}

IRKISS_HIDDEN static char time_text[TEXT];
char *asctime(const struct tm *time) { return asctime_r(time, time_text); }

char *ctime(const long *time)
{
    __irkiss_touch(time, sizeof *time);
    fill(&broken_down_time);
    return write_text(time_text);
}

usize strftime(char *to, usize most, const char *format, const struct tm *time)
{
    u64 length = __irkiss_nondet_u8() & 31;
    (void)format;
    __irkiss_touch(time->fields, sizeof time->fields);
    if (length >= most)
        return 0;
    IRKISS_FOLLOWED_TWICE
    for (u64 n = 0; n < length; n++)
        to[n] = (char)(__irkiss_nondet_u8() | 1);
    to[length] = 0;
    return (usize)length;
}

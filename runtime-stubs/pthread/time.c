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
int nanosleep(const void *duration, void *remaining)
{
    (void)remaining;
    irkiss_given(duration, IRKISS_TIME_BYTES);
    wait_here();
    return 0;
}
IRKISS_ASSUMES("waits-complete")
int clock_nanosleep(int clock, int flags, const void *duration, void *remaining)
{
    (void)clock, (void)flags, (void)remaining;
    irkiss_given(duration, IRKISS_TIME_BYTES);
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

/* ---- Dates: of UTC as they are (the Gregorian calendar, without leap seconds); of local time so many minutes before or after it, in
 * quarters of an hour, which may differ from one call to the next (summer time). ---- */
struct tm {
    int second, minute, hour, day, month, year, weekday, yearday, summer;
    long offset;
    const char *zone;
};

#define DAY 86400

/* Days since the first of March of the year 0, and back (years begin in March, so that leap days come last). */
#define DAYS_TO_1970 719468

static long floor_divide(long n, long by) { return n / by - (n % by < 0); }

static _Bool is_leap(long year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

static void break_down(long time, struct tm *out)
{
    long days = floor_divide(time, DAY), seconds = time - days * DAY;
    long since = days + DAYS_TO_1970, era = floor_divide(since, 146097), of_era = since - era * 146097;
    long year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    long of_year = of_era - (365 * year + year / 4 - year / 100);
    long month = (5 * of_year + 2) / 153;
    out->day = (int)(of_year - (153 * month + 2) / 5 + 1);
    out->month = (int)(month < 10 ? month + 2 : month - 10);
    year += era * 400 + (month >= 10);
    out->year = (int)(year - 1900);
    out->yearday = (int)(month >= 10 ? of_year - 306 : of_year + 59 + is_leap(year));
    out->weekday = (int)(days + 4 - floor_divide(days + 4, 7) * 7);
    out->hour = (int)(seconds / 3600);
    out->minute = (int)(seconds / 60 % 60);
    out->second = (int)(seconds % 60);
}

static long put_together(const struct tm *time)
{
    long months = time->month, years = time->year + 1900 + floor_divide(months, 12);
    months -= floor_divide(months, 12) * 12;
    /* March is the first month. */
    long month = months < 2 ? months + 10 : months - 2, year = months < 2 ? years - 1 : years;
    long era = floor_divide(year, 400), of_era = year - era * 400;
    long days = era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * month + 2) / 5 - DAYS_TO_1970 + time->day - 1;
    return days * DAY + time->hour * 3600l + time->minute * 60l + time->second;
}

/* From 12 hours before to 14 hours after UTC. */
static long zone(void)
{
    u32 quarters = __irkiss_nondet_u8() & 127;
    return ((long)(quarters <= 104 ? quarters : 104) - 48) * 900;
}

static void fill(struct tm *out, long time, long offset, _Bool summer)
{
    break_down(time + offset, out);
    out->summer = summer;
    out->offset = offset;
    out->zone = "UTC";
}

struct tm *gmtime_r(const long *time, struct tm *out)
{
    fill(out, *time, 0, 0);
    return out;
}

struct tm *localtime_r(const long *time, struct tm *out)
{
    fill(out, *time, zone(), __irkiss_nondet_bool());
    return out;
}

/* The one that these functions give all threads. */
IRKISS_HIDDEN static struct tm broken_down_time;
struct tm *localtime(const long *time) { return localtime_r(time, &broken_down_time); }
struct tm *gmtime(const long *time) { return gmtime_r(time, &broken_down_time); }

/* What lies outside of its range is brought into it. */
long mktime(struct tm *time)
{
    long offset = zone(), result = put_together(time) - offset;
    fill(time, result, offset, __irkiss_nondet_bool());
    return result;
}

long timegm(struct tm *time)
{
    long result = put_together(time);
    fill(time, result, 0, 0);
    return result;
}

double difftime(long end, long start) { return (double)(end - start); }

/* "Thu Nov 26 06:55:09 2026\n" */
#define TEXT 26

IRKISS_ANY_ANSWER
static char *write_text(char *out)
{
    __irkiss_havoc(out, TEXT - 2);
    out[TEXT - 2] = '\n';
    out[TEXT - 1] = 0;
    return out;
}

char *asctime_r(const struct tm *time, char *out)
{
    __irkiss_touch(time, sizeof *time);
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
    localtime_r(time, &broken_down_time);
    return write_text(time_text);
}

IRKISS_ANY_ANSWER
usize strftime(char *to, usize most, const char *format, const struct tm *time)
{
    u64 length = __irkiss_nondet_u8() & 31;
    irkiss_given(format, 1);
    __irkiss_touch(time, sizeof *time);
    if (length >= most)
        return 0;
    IRKISS_FOLLOWED_TWICE
    for (u64 n = 0; n < length; n++)
        to[n] = (char)(__irkiss_nondet_u8() | 1);
    to[length] = 0;
    return (usize)length;
}

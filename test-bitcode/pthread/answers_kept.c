// irkiss: --property assert --work 400k ; expect: none ; forms: nopass
//
// What a program has set stays: variables of its environment, bytes in a pipe, the order of an array; and what follows from what is known:
// dates, parts of names, numbers that do not fit. It also runs natively (tests/oracle.rs).
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void environment(void)
{
    static char own[] = "OWN=first";
    const char *before = getenv("SOMETHING");
    assert(getenv("SOMETHING") == before);
    setenv("MODE", "locked", 1);
    setenv("MODE", "other", 0);
    assert(strcmp(getenv("MODE"), "locked") == 0);
    setenv("MODE", "free", 1);
    assert(strcmp(getenv("MODE"), "free") == 0);
    unsetenv("MODE");
    assert(getenv("MODE") == NULL);
    putenv(own);
    assert(strcmp(getenv("OWN"), "first") == 0);
    own[4] = 'F';
    assert(strcmp(getenv("OWN"), "First") == 0);
    assert(setenv("", "x", 1) == -1);
}

static void pipes(void)
{
    int ends[2], back[2] = { 0 };
    char text[4];
    if (pipe(ends) != 0)
        return;
    int numbers[2] = { 42, 43 };
    if (write(ends[1], numbers, sizeof numbers) != sizeof numbers)
        return;
    assert(read(ends[0], back, sizeof back[0]) == sizeof back[0] && back[0] == 42);
    if (write(ends[1], "abc", 4) != 4)
        return;
    assert(read(ends[0], back, sizeof back[0]) == sizeof back[0] && back[0] == 43);
    assert(read(ends[0], text, 4) == 4 && strcmp(text, "abc") == 0);
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void sorted(void)
{
    int all[12] = { 9, 3, 7, 11, 1, 8, 2, 6, 10, 5, 4, 0 }, key = 7, missing = 12;
    qsort(all, 12, sizeof all[0], compare);
    for (int n = 0; n < 12; n++)
        assert(all[n] == n);
    assert(bsearch(&key, all, 12, sizeof all[0], compare) == &all[7]);
    assert(bsearch(&missing, all, 12, sizeof all[0], compare) == NULL);
}

static void dates(void)
{
    struct tm date;
    time_t leap = 951782400, before = -1, late = 1798761599;
    gmtime_r(&leap, &date);
    assert(date.tm_year == 100 && date.tm_mon == 1 && date.tm_mday == 29 && date.tm_yday == 59 && date.tm_wday == 2);
    assert(timegm(&date) == leap);
    gmtime_r(&before, &date);
    assert(date.tm_year == 69 && date.tm_mon == 11 && date.tm_mday == 31 && date.tm_hour == 23 && date.tm_sec == 59 && date.tm_yday == 364);
    gmtime_r(&late, &date);
    assert(date.tm_year == 126 && date.tm_yday == 364 && date.tm_wday == 4);
    date.tm_mday += 1;
    date.tm_mon += 12;
    assert(timegm(&date) == late + 366 * 86400l && date.tm_year == 128 && date.tm_mon == 0 && date.tm_mday == 1);
    localtime_r(&leap, &date);
    assert(date.tm_year == 100 && (date.tm_mday == 28 || date.tm_mday == 29 || date.tm_mon == 2));
    assert(difftime(leap, 951782390) == 10);
}

/* glibc's, which libgen.h hides. */
extern char *own_part(const char *) __asm__("basename");

static void parts(void)
{
    char path[] = "/usr/lib/", name[] = "/usr/lib/", plain[] = "file", root[] = "/", under[] = "/file";
    assert(strcmp(dirname(path), "/usr") == 0);
    assert(strcmp(basename(name), "lib") == 0);
    assert(strcmp(dirname(plain), ".") == 0);
    assert(strcmp(dirname(root), "/") == 0);
    assert(strcmp(dirname(under), "/") == 0);
    assert(own_part("/usr/lib")[0] == 'l' && own_part("lib")[0] == 'l');
}

static void numbers(void)
{
    char *end;
    errno = 0;
    assert(strtol("99999999999999999999", &end, 10) == LONG_MAX && errno == ERANGE && *end == 0);
    assert(strtol("-99999999999999999999", NULL, 10) == LONG_MIN);
    assert(strtoul("18446744073709551615", NULL, 10) == ULONG_MAX);
    assert(strtol("-9223372036854775808", NULL, 10) == LONG_MIN);
    assert(strtol("7fffffffffffffff", NULL, 16) == LONG_MAX);
    assert(memmem("abcd", 4, "cd", 2) != NULL && memmem("abcd", 4, "ce", 2) == NULL);
    char text[8] = "ab:c";
    assert(stpncpy(text, "xy", 4) == text + 2 && text[3] == 0);
    assert(memccpy(text, "pq:r", ':', 4) == text + 3 && memccpy(text, "pq:r", 'z', 2) == NULL);
    assert(rawmemchr(text, 'q') == text + 1);
    assert(lldiv(17, 5).rem == 2 && imaxabs(-4) == 4);
    assert(strcasestr("a Word", "word") != NULL && strcasestr("a Word", "wort") == NULL);
}

int main(void)
{
    environment();
    pipes();
    sorted();
    dates();
    parts();
    numbers();
    return 0;
}

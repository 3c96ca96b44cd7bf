/* Parts of the names of files (POSIX: dirname, basename; glibc's basename of string.h). */
#include "irkiss_pthread.h"

usize strlen(const char *s);
char *strrchr(const char *s, int c);

static char here[] = ".";

/* The length without slashes at the end, but for the first character. */
static usize without_slashes(const char *path, usize length)
{
    IRKISS_FOLLOWED_TWICE
    while (length > 1 && path[length - 1] == '/')
        length--;
    return length;
}

/* Where the last part begins. */
static usize last_part(const char *path, usize length)
{
    IRKISS_FOLLOWED_TWICE
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length;
}

/* In place. */
IRKISS_ASSUMES("glibc-protects")
char *dirname(char *path)
{
    if (!path || !path[0])
        return here;
    usize length = last_part(path, without_slashes(path, strlen(path)));
    if (length == 0)
        return here;
    path[without_slashes(path, length)] = 0;
    return path;
}

IRKISS_ASSUMES("glibc-protects")
char *__xpg_basename(char *path)
{
    if (!path || !path[0])
        return here;
    usize length = without_slashes(path, strlen(path));
    if (path[length])
        path[length] = 0;
    usize start = last_part(path, length);
    return start == length ? path : path + start;
}

/* glibc's own. */
char *basename(const char *path)
{
    char *slash = strrchr(path, '/');
    return slash ? slash + 1 : (char *)path;
}

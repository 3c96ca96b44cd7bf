// irkiss: --property assert ; expect: none
//
// Text is searched, cut and compared. It also runs natively (tests/oracle.rs).
#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void searched(void)
{
    const char *text = "a;bc;";
    assert(strspn(text, "ab;") == 3);
    assert(strcspn(text, "c") == 3);
    assert(strpbrk(text, "cb") == text + 2);
    assert(strpbrk(text, "xy") == NULL);
    assert(strstr(text, "bc") == text + 2);
    assert(strstr(text, "bd") == NULL);
    assert(strchrnul(text, 'x') == text + 5);
    assert(memrchr(text, ';', 5) == text + 4);
    assert(index(text, ';') == text + 1);
    assert(rindex(text, ';') == text + 4);
}

static void cut(void)
{
    char text[] = "a;bc", again[] = "d;e", parts[] = "f,,g";
    char *rest = NULL, *next = parts;
    assert(strcmp(strtok_r(text, ";", &rest), "a") == 0);
    assert(strcmp(strtok_r(NULL, ";", &rest), "bc") == 0);
    assert(strtok_r(NULL, ";", &rest) == NULL);
    assert(strtok(again, ";") == again);
    assert(strtok(NULL, ";") == again + 2);
    assert(strsep(&next, ",") == parts);
    assert(strsep(&next, ",") == parts + 2);
    assert(next == parts + 3);
}

static void joined(void)
{
    char to[8] = "ab";
    assert(strncat(to, "cdef", 2) == to);
    assert(strcmp(to, "abcd") == 0);
    char *own = strdup("abc"), *part = strndup("abc", 2);
    if (own)
        assert(strcmp(own, "abc") == 0);
    if (part)
        assert(strcmp(part, "ab") == 0);
}

int main(void)
{
    searched();
    cut();
    joined();
    // Not with a constant, which is told by itself.
    char left[] = "Ab", right[] = "aB", other[] = "ac";
    assert(strcasecmp(left, right) == 0);
    assert(strncasecmp(left, other, 1) == 0);
    assert(strcasecmp(left, other) < 0);
    assert(strcoll(right, other) < 0);
    assert(strcasecmp(left, "aB") == 0);
    assert(strncasecmp(left, "aX", 1) == 0);
    assert(strcmp(other, "ab") > 0);
    assert(strncmp(other, "ab", 1) == 0);
    assert(strcoll(other, "ac") == 0);
    return 0;
}

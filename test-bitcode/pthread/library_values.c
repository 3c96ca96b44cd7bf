// irkiss:  ; expect: none ; forms: nopass ; lazy: yes
//
// What pure functions of the C library return is no matter of chance
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>
#include <strings.h>

extern void reach_error(void);

static int shared;

static void *other(void *unused)
{
    if (abs(-3) != 3 || atoi("7") != 7 || isdigit('x') || toupper('a') != 'A' || ffs(8) != 4 || strcmp("a", "b") >= 0)
        shared = 1;
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    if (strlen("four") != 4 || labs(-2L) != 2 || strtol("12", 0, 10) != 12 || memcmp("ab", "ab", 2) != 0 || strchr("abc", 'b') == 0)
        shared = 2;
    pthread_join(t, 0);
    if (shared)
        reach_error();
    return 0;
}

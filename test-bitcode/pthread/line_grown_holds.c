// irkiss: --property uaf ; expect: none ; forms: nopass ; lazy: yes
//
// As line_grown_fails.c, but what is looked at leads into the buffer that is there.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char *line, *first;
static size_t size;

static void *looks(void *unused)
{
    if (first[0] == 'a')
        puts("a");
    return unused;
}

int main(void)
{
    pthread_t a;

    if (getline(&line, &size, stdin) < 0)
        return 1;
    if (getline(&line, &size, stdin) < 0)
        return 1;
    first = line;
    pthread_create(&a, 0, looks, 0);
    pthread_join(a, 0);
    return 0;
}

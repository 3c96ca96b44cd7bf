// irkiss: --property uaf ; expect: uaf ; forms: nopass ; lazy: yes
//
// getline may have to make its buffer larger, which moves it: what led into the old one leads nowhere.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char *line, *first;
static size_t size;

static void *looks(void *unused)
{
    if (first[0] == 'a') // FREED
        puts("a");
    return unused;
}

int main(void)
{
    pthread_t a;

    if (getline(&line, &size, stdin) < 0)
        return 1;
    first = line;
    if (getline(&line, &size, stdin) < 0)
        return 1;
    pthread_create(&a, 0, looks, 0);
    pthread_join(a, 0);
    return 0;
}

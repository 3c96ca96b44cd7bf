// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// As scandir_racy.c, with a counter that is atomic.
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static _Atomic unsigned compared;

static int by_name(const struct dirent **a, const struct dirent **b)
{
    compared++;
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void *work(void *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, by_name);
    while (count-- > 0)
        free(entries[count]);
    return path;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, work, "/etc");
    pthread_create(&b, 0, work, "/usr");
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

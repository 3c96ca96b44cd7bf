// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// Entries that are sorted by name are in that order.
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <pthread.h>
#include <string.h>

static void *work(void *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    assert(count < 2 || strcmp(entries[0]->d_name, entries[1]->d_name) <= 0);
    return path;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, work, "/etc");
    pthread_join(a, 0);
    return 0;
}

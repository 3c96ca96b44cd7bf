// irkiss: --property uaf ; expect: none ; forms: nopass ; lazy: yes
//
// As stream_flushed_fails.c, but it is flushed before anybody closes it.
#include <pthread.h>
#include <stdio.h>

static FILE *shared;

static void *closes(void *unused)
{
    fclose(shared);
    return unused;
}

int main(void)
{
    pthread_t a;

    shared = fopen("log", "a");
    if (!shared)
        return 1;
    fflush(shared);
    pthread_create(&a, 0, closes, 0);
    pthread_join(a, 0);
    return 0;
}

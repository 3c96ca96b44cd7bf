// irkiss: --property uaf ; expect: none ; forms: nopass ; lazy: yes
//
// As stream_closed_holds.c, for characters: they are put before the other thread is there.
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

    shared = fdopen(7, "w");
    if (!shared)
        return 1;
    fputc('a', shared);
    pthread_create(&a, 0, closes, 0);
    pthread_join(a, 0);
    return 0;
}

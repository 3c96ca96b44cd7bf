// irkiss: --property uaf ; expect: none ; forms: nopass ; lazy: yes
//
// As stream_closed_fails.c, but nothing is used after it was closed.
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
    fprintf(shared, "a");
    pthread_create(&a, 0, closes, 0);
    pthread_join(a, 0);
    return 0;
}

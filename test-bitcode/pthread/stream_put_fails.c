// irkiss: --property uaf ; expect: uaf ; forms: nopass ; lazy: yes
//
// As stream_closed_fails.c, for characters.
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
    pthread_create(&a, 0, closes, 0);
    fputc('a', shared); // FREED
    pthread_join(a, 0);
    return 0;
}

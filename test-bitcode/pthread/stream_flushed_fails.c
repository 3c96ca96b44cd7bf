// irkiss: --property uaf ; expect: uaf ; forms: nopass ; lazy: yes
//
// A stream is flushed after it was closed: by another thread.
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
    pthread_create(&a, 0, closes, 0);
    fflush(shared); // FREED
    pthread_join(a, 0);
    return 0;
}

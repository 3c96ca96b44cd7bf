// irkiss: --property uaf ; expect: uaf ; forms: nopass ; lazy: yes
//
// A stream is closed by both threads.
#include <pthread.h>
#include <stdio.h>

static FILE *shared;

static void *closes(void *unused)
{
    pclose(shared); // FREED
    return unused;
}

int main(void)
{
    pthread_t a;

    shared = popen("a", "w");
    if (!shared)
        return 1;
    pthread_create(&a, 0, closes, 0);
    pclose(shared); // FREED
    pthread_join(a, 0);
    return 0;
}

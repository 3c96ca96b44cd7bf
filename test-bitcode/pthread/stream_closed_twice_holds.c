// irkiss: --property uaf ; expect: none ; forms: nopass ; lazy: yes
//
// As stream_closed_twice_fails.c, but one of them closes it.
#include <pthread.h>
#include <stdio.h>

static FILE *shared;

static void *closes(void *unused)
{
    pclose(shared);
    return unused;
}

int main(void)
{
    pthread_t a;

    shared = popen("a", "w");
    if (!shared)
        return 1;
    pthread_create(&a, 0, closes, 0);
    pthread_join(a, 0);
    return 0;
}

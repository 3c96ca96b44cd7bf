// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// What dprintf prints to a pipe is what is read at its end: what came before it is over.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int value, ends[2];

static void *tells(void *unused)
{
    value = 1;
    dprintf(ends[1], "%d", 7);
    return unused;
}

int main(void)
{
    pthread_t a;
    char bytes[8];

    if (pipe(ends) != 0)
        return 1;
    pthread_create(&a, 0, tells, 0);
    if (read(ends[0], bytes, sizeof bytes) > 0)
        value = 2;
    pthread_join(a, 0);
    return 0;
}

// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// What is written to another number of the end of a pipe (dup) may be read, here by who has waited for the writer.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int value, ends[2], other;

static void *tells(void *unused)
{
    write(other, "a", 1);
    value = 1;
    return unused;
}

int main(void)
{
    char byte;
    pthread_t a;

    pipe(ends);
    other = dup(ends[1]);
    pthread_create(&a, 0, tells, 0);
    pthread_join(a, 0);
    if (read(ends[0], &byte, 1) == 1)
        value = 2;
    return 0;
}

// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// What is written to another number of the end of a pipe is what is read at the other end: what came before it is over.
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int value, ends[2], other;

static void *tells(void *unused)
{
    value = 1;
    write(other, "a", 1);
    return unused;
}

int main(void)
{
    pthread_t a;
    char byte;

    if (pipe(ends) != 0)
        return 1;
    other = dup(ends[1]);
    if (other < 0)
        return 1;
    pthread_create(&a, 0, tells, 0);
    if (read(fcntl(ends[0], F_DUPFD, 0), &byte, 1) == 1)
        value = 2;
    pthread_join(a, 0);
    return 0;
}

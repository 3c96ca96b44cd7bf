// irkiss: --property deadlock ; expect: finds ; forms: nopass
//
// poll without a limit waits for one of two pipes: where work fails, nobody writes to either.
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int first[2], second[2];

static void *work(void *argument)
{
    char *memory = malloc(8);
    if (!memory)
        return argument;
    free(memory);
    write(second[1], "x", 1);
    return argument;
}

int main(void)
{
    pthread_t worker;
    char byte;

    if (pipe(first) || pipe(second))
        return 1;
    if (pthread_create(&worker, 0, work, 0))
        return 1;
    struct pollfd both[] = { { .fd = first[0], .events = POLLIN }, { .fd = second[0], .events = POLLIN } };
    poll(both, 2, -1); // FINDS:deadlock
    if (both[1].revents & POLLIN)
        read(second[0], &byte, 1);
    pthread_join(worker, 0);
    return 0;
}

// irkiss: --property deadlock ; expect: none ; forms: nopass
//
// Whatever happens, something is written to one of the two pipes that poll waits for.
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int first[2], second[2];

static void *work(void *argument)
{
    char *memory = malloc(8);
    write(memory ? second[1] : first[1], "x", 1);
    free(memory);
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
    poll(both, 2, -1);
    if (both[1].revents & POLLIN)
        read(second[0], &byte, 1);
    pthread_join(worker, 0);
    return 0;
}

// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// Who waits for the other of a pair of sockets comes to the end when that shuts it down: what came before it is over.
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int value, ends[2];

static void *tells(void *unused)
{
    value = 1;
    shutdown(ends[0], SHUT_WR);
    return unused;
}

int main(void)
{
    pthread_t a;
    char byte;

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 1;
    pthread_create(&a, 0, tells, 0);
    if (read(ends[1], &byte, 1) == 0)
        value = 2;
    pthread_join(a, 0);
    return 0;
}

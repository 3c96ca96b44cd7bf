// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// What send writes to one of a pair of sockets is what recv waits for at the other: what came before it is over.
#include <pthread.h>
#include <sys/socket.h>

static int value, ends[2];

static void *tells(void *unused)
{
    value = 1;
    send(ends[0], "a", 1, MSG_NOSIGNAL);
    return unused;
}

int main(void)
{
    pthread_t a;
    char byte;

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 1;
    pthread_create(&a, 0, tells, 0);
    if (recv(ends[1], &byte, 1, 0) == 1)
        value = 2;
    pthread_join(a, 0);
    return 0;
}

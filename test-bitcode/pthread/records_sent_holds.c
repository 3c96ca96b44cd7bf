// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// What is sent at once is read at once: the rest of it is lost.
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>

static int ends[2];

static void *sends(void *unused)
{
    send(ends[0], "ab", 2, 0);
    send(ends[0], "c", 1, 0);
    return unused;
}

int main(void)
{
    char byte;
    pthread_t a;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0)
        return 1;
    pthread_create(&a, 0, sends, 0);
    if (recv(ends[1], &byte, 1, 0) == 1 && recv(ends[1], &byte, 1, 0) == 1)
        assert(byte == 'c');
    pthread_join(a, 0);
    return 0;
}

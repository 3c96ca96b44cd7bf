// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// What sendmsg sends is what recvmsg waits for at the other of a pair of sockets: what came before it is over.
#include <pthread.h>
#include <sys/socket.h>
#include <sys/uio.h>

static int value, ends[2];

static void *tells(void *unused)
{
    struct iovec piece = {"ab", 2};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};

    value = 1;
    sendmsg(ends[0], &message, 0);
    return unused;
}

int main(void)
{
    pthread_t a;
    char bytes[2];
    struct iovec piece = {bytes, 2};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 1;
    pthread_create(&a, 0, tells, 0);
    if (recvmsg(ends[1], &message, 0) == 2 && bytes[1] == 'b')
        value = 2;
    pthread_join(a, 0);
    return 0;
}

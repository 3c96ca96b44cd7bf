// irkiss: ; expect: assert ; forms: nopass ; lazy: yes
//
// What is not read yet of what was sent to a stream is read next.
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

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 1;
    pthread_create(&a, 0, sends, 0);
    if (recv(ends[1], &byte, 1, 0) == 1 && recv(ends[1], &byte, 1, 0) == 1)
        assert(byte == 'c'); // ASSERT-FAILS
    pthread_join(a, 0);
    return 0;
}

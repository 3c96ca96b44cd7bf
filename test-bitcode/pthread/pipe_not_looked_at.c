// irkiss: --work 400k ; expect: none ; forms: nopass
//
// Where the program does not look at the result, there are pipes and the like.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2], others[2], pair[2], value;

static void *work(void *argument)
{
    char c;
    if (read(ends[0], &c, 1) == 1)
        value++;
    return argument;
}

int main(void)
{
    pthread_t a;
    char c = 0;

    pipe(ends);
    pipe2(others, 0);
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    write(others[1], "a", 1);
    assert(read(others[0], &c, 1) != 1 || c == 'a');
    write(pair[0], "b", 1);
    assert(read(pair[1], &c, 1) != 1 || c == 'b');
    pthread_create(&a, 0, work, 0);
    value = 1;
    write(ends[1], "x", 1);
    pthread_join(a, 0);
    return 0;
}

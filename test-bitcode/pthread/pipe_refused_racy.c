// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// Where the program looks at the result, pipes and the like may be refused.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int one, two, three, four, count[4];

static void *work(void *argument)
{
    if (one < 0)
        count[0]++; // RACE
    if (two < 0)
        count[1]++; // RACE
    if (three < 0)
        count[2]++; // RACE
    if (four < 0)
        count[3]++; // RACE
    return argument;
}

int main(void)
{
    pthread_t a;
    int ends[2];

    one = pipe(ends);
    two = pipe2(ends, 0);
    three = socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    four = eventfd(0, 0);
    pthread_create(&a, 0, work, 0);
    work(0);
    pthread_join(a, 0);
    return 0;
}

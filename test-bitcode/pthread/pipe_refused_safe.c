// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// Whichever is refused, one thread at a time says so.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int one, two, three, four, count[4];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    if (one < 0)
        count[0]++;
    if (two < 0)
        count[1]++;
    if (three < 0)
        count[2]++;
    if (four < 0)
        count[3]++;
    pthread_mutex_unlock(&lock);
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

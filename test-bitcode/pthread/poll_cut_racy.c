// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// Where the program looks at the result, poll and ppoll may have been cut short.
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int one, two, ends[2], count[2];

static void *work(void *unused)
{
    if (one < 0)
        count[0]++; // RACE
    if (two < 0)
        count[1]++; // RACE
    return unused;
}

int main(void)
{
    struct pollfd file;
    pthread_t a;

    pipe(ends);
    write(ends[1], "a", 1);
    file.fd = ends[0];
    file.events = POLLIN;
    one = poll(&file, 1, -1);
    two = ppoll(&file, 1, 0, 0);
    pthread_create(&a, 0, work, 0);
    work(0);
    pthread_join(a, 0);
    return 0;
}

// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// As poll_cut_racy.c, but what was not cut short is looked at: there is one file that is ready.
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int one, two, ends[2], count[2];

static void *work(void *unused)
{
    if (one > 1)
        count[0]++;
    if (two > 1 || one == 0)
        count[1]++;
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

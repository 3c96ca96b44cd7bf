// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// poll tells that there is something to read, which was written before.
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int value, ends[2];

static void *tells(void *unused)
{
    value = 1;
    write(ends[1], "a", 1);
    return unused;
}

int main(void)
{
    struct pollfd file;
    pthread_t a;

    if (pipe(ends) != 0)
        return 1;
    file.fd = ends[0];
    file.events = POLLIN;
    pthread_create(&a, 0, tells, 0);
    if (poll(&file, 1, -1) == 1 && (file.revents & POLLIN))
        value = 2;
    pthread_join(a, 0);
    return 0;
}

// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// Of two that watch files each tells of its own: what came before that was written is over.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

static int value, ready[2], ends[2];

static void *tells(void *unused)
{
    value = 1;
    write(ends[1], "a", 1);
    return unused;
}

int main(void)
{
    struct epoll_event event = {.events = EPOLLIN};
    int other, watch;
    pthread_t a;

    if (pipe(ready) != 0 || pipe(ends) != 0)
        return 1;
    write(ready[1], "a", 1);
    other = epoll_create(1);
    watch = epoll_create(1);
    epoll_ctl(other, EPOLL_CTL_ADD, ready[0], &event);
    epoll_ctl(watch, EPOLL_CTL_ADD, ends[0], &event);
    pthread_create(&a, 0, tells, 0);
    if (epoll_pwait(watch, &event, 1, -1, 0) == 1)
        value = 2;
    pthread_join(a, 0);
    return 0;
}

// irkiss: --work 800k ; expect: none ; forms: nopass ; lazy: yes
//
// epoll tells that there is something to read, which was written before.
#include <pthread.h>
#include <sys/epoll.h>
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
    pthread_t a;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = ends};
    int watch;

    watch = epoll_create1(0);
    if (pipe(ends) != 0 || watch < 0)
        return 1;
    epoll_ctl(watch, EPOLL_CTL_ADD, ends[0], &event);
    pthread_create(&a, 0, tells, 0);
    if (epoll_wait(watch, &event, 1, -1) == 1 && event.data.ptr == ends)
        value = 2;
    pthread_join(a, 0);
    return 0;
}

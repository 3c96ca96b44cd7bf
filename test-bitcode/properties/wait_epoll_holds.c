// irkiss: --property deadlock --work 400k ; expect: none ; lazy: yes
//
// As wait_epoll_fails.c, and what is read is the one that epoll told of.
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int first, second, watch;

static void *works(void *unused)
{
    struct epoll_event event;
    uint64_t count;

    if (epoll_wait(watch, &event, 1, -1) == 1)
        read(event.data.fd, &count, sizeof count);
    return unused;
}

int main(void)
{
    struct epoll_event event = {.events = EPOLLIN};
    uint64_t one = 1;
    pthread_t a;

    first = eventfd(0, 0);
    second = eventfd(0, 0);
    if (first < 0 || second < 0)
        return 1;
    watch = epoll_create1(0);
    event.data.fd = first;
    epoll_ctl(watch, EPOLL_CTL_ADD, first, &event);
    event.data.fd = second;
    epoll_ctl(watch, EPOLL_CTL_ADD, second, &event);
    pthread_create(&a, 0, works, 0);
    write(second, &one, sizeof one);
    pthread_join(a, 0);
    return 0;
}

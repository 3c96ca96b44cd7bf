// irkiss: --property deadlock ; expect: none ; lazy: yes
//
// As wait_eventfd_fails.c, with a permit for each.
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int permits;

static void *takes(void *unused)
{
    uint64_t one;

    read(permits, &one, sizeof one);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    permits = eventfd(2, EFD_SEMAPHORE);
    pthread_create(&a, 0, takes, 0);
    pthread_create(&b, 0, takes, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

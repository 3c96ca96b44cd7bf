// irkiss: --property deadlock ; expect: none ; lazy: yes
//
// A file of another kind is none of the pipes of the program: who reads it does not wait for what is written to these.
#include <pthread.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int timer, ends[2];

static void *reads(void *unused)
{
    uint64_t count;

    read(timer, &count, sizeof count);
    return unused;
}

int main(void)
{
    pthread_t a;

    if (pipe(ends) != 0)
        return 1;
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    if (timer < 0)
        return 1;
    pthread_create(&a, 0, reads, 0);
    pthread_join(a, 0);
    return 0;
}

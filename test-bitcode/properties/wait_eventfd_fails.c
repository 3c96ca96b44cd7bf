// irkiss: --property deadlock ; expect: finds ; lazy: yes
//
// An eventfd that counts permits: there is one for two threads, and nobody gives more.
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int permits;

static void *takes(void *unused)
{
    uint64_t one;

    read(permits, &one, sizeof one); // FINDS:deadlock
    return unused;
}

int main(void)
{
    pthread_t a, b;

    permits = eventfd(1, EFD_SEMAPHORE);
    pthread_create(&a, 0, takes, 0);
    pthread_create(&b, 0, takes, 0);
    pthread_join(a, 0); // FINDS:deadlock
    pthread_join(b, 0); // FINDS:deadlock
    return 0;
}

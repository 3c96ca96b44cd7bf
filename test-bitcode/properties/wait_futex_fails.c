// irkiss: --property deadlock ; expect: finds ; lazy: yes
//
// A gate made of a futex: who opens it says so before it has opened it, and does not say so again.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_uint closed = 1;

static void *waits(void *unused)
{
    while (atomic_load(&closed))
        syscall(SYS_futex, &closed, FUTEX_WAIT_PRIVATE, 1, (void *)0); // FINDS:deadlock
    return unused;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, waits, 0);
    syscall(SYS_futex, &closed, FUTEX_WAKE_PRIVATE, 1);
    atomic_store(&closed, 0);
    pthread_join(a, 0); // FINDS:deadlock
    return 0;
}

// irkiss: --property deadlock --work 400k ; expect: none ; lazy: yes
//
// As wait_futex_fails.c, but who opens it says so afterwards.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_uint closed = 1;

static void *waits(void *unused)
{
    while (atomic_load(&closed))
        syscall(SYS_futex, &closed, FUTEX_WAIT_PRIVATE, 1, (void *)0);
    return unused;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, waits, 0);
    atomic_store(&closed, 0);
    syscall(SYS_futex, &closed, FUTEX_WAKE_PRIVATE, 1);
    pthread_join(a, 0);
    return 0;
}

// irkiss: --property deadlock ; expect: none ; lazy: yes
//
// As wait_pipe_fails.c, but it is written before the lock is acquired.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];

static void *reads(void *unused)
{
    char byte;

    pthread_mutex_lock(&lock);
    read(ends[0], &byte, 1);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *writes(void *unused)
{
    write(ends[1], "a", 1);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pipe(ends);
    pthread_create(&a, 0, reads, 0);
    pthread_create(&b, 0, writes, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

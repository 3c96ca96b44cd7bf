// irkiss: --property deadlock ; expect: finds ; lazy: yes
//
// Who reads from the pipe holds the lock that the only one who writes to it waits for.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];

static void *reads(void *unused)
{
    char byte;

    pthread_mutex_lock(&lock);
    read(ends[0], &byte, 1); // FINDS:deadlock
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *writes(void *unused)
{
    pthread_mutex_lock(&lock); // FINDS:deadlock
    write(ends[1], "a", 1);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pipe(ends);
    pthread_create(&a, 0, reads, 0);
    pthread_create(&b, 0, writes, 0);
    pthread_join(a, 0); // FINDS:deadlock
    pthread_join(b, 0);
    return 0;
}

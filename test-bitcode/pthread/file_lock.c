// irkiss: ; expect: unknown ; reason: locks of files beside other threads ; forms: nopass ; lazy: yes
//
// Which numbers have the same file is not followed, and so not whom the lock of a file keeps away.
#define _GNU_SOURCE
#include <sys/file.h>
#include <pthread.h>

static int value;

static void *work(void *argument)
{
    if (flock(3, LOCK_EX) == 0)
        value++;
    flock(3, LOCK_UN);
    return argument;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

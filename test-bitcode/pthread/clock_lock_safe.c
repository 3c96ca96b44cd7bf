// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// Locks, and the end of a thread, are waited for until a clock says so.
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value, ended;

static void *reads(void *argument)
{
    struct timespec deadline = { 1, 0 };

    if (pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &deadline) == 0) {
        if (value == 7)
            argument = 0;
        pthread_rwlock_unlock(&lock);
    }
    ended = 1;
    return argument;
}

int main(void)
{
    struct timespec deadline = { 1, 0 };
    pthread_t a;

    pthread_create(&a, 0, reads, 0);
    if (pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &deadline) == 0) {
        value++;
        pthread_rwlock_unlock(&lock);
    }
    if (pthread_clockjoin_np(a, 0, CLOCK_MONOTONIC, &deadline) == 0)
        ended = 2;
    return 0;
}

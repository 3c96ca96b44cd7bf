// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// Locks, and the end of a thread, are waited for until a clock says so; nobody looks whether they came.
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value, ended;

static void *reads(void *argument)
{
    struct timespec deadline = { 1, 0 };

    pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &deadline);
    value++; // RACE
    ended = 1; // RACE
    return argument;
}

int main(void)
{
    struct timespec deadline = { 1, 0 };
    pthread_t a;

    pthread_create(&a, 0, reads, 0);
    pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &deadline);
    value++; // RACE
    pthread_clockjoin_np(a, 0, CLOCK_MONOTONIC, &deadline);
    ended = 2; // RACE
    return 0;
}

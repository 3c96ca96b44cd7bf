// irkiss: ; expect: race
//
// How long to sleep is read where it stands.
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

static struct timespec pause_for;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *unused)
{
    nanosleep(&pause_for, 0); // RACE
    return 0;
}

int main(void)
{
    pthread_t t;
    if (pthread_create(&t, 0, other, 0))
        return 1;
    pause_for.tv_nsec = 5; // RACE
    pthread_join(t, 0);
    return 0;
}

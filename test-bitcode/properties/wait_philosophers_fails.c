// irkiss: --property deadlock --tier runs ; expect: finds
//
// Four philosophers, made in a loop: each takes the fork to one side, and then the one to the other side.
#include <pthread.h>

#define ALL 4

static pthread_mutex_t forks[ALL];
static int eaten;

static void *eats(void *number)
{
    long own = (long)number;

    pthread_mutex_lock(&forks[own]);
    pthread_mutex_lock(&forks[(own + 1) % ALL]); // FINDS:deadlock
    eaten++;
    pthread_mutex_unlock(&forks[(own + 1) % ALL]);
    pthread_mutex_unlock(&forks[own]);
    return 0;
}

int main(void)
{
    pthread_t all[ALL];

    for (int n = 0; n < ALL; n++)
        pthread_mutex_init(&forks[n], 0);
    for (long n = 0; n < ALL; n++)
        pthread_create(&all[n], 0, eats, (void *)n);
    for (int n = 0; n < ALL; n++)
        pthread_join(all[n], 0); // FINDS:deadlock
    return 0;
}

// irkiss: --property deadlock --work 400k ; expect: none
//
// Three philosophers, made in a loop: each takes the fork of the lower number first.
#include <pthread.h>

#define ALL 3

static pthread_mutex_t forks[ALL];
static int eaten;

static void *eats(void *number)
{
    long own = (long)number, next = (own + 1) % ALL;
    long first = own < next ? own : next, second = own < next ? next : own;

    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    eaten++;
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
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
        pthread_join(all[n], 0);
    return 0;
}

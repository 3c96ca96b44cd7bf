// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// Two threads draw from one generator of random fractions.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

static struct drand48_data generator;
static __thread double fraction;

static void *work(void *argument)
{
    drand48_r(&generator, &fraction); // RACE
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

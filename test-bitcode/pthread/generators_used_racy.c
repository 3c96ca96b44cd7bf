// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// A generator of random numbers is used by two threads.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

static struct random_data random0, random1;
static struct drand48_data data0, data1, data2;
static __thread char state[8];
static __thread long number;
static __thread double fraction;

static void *work(void *argument)
{
    srandom_r(1, &random0); // RACE
    initstate_r(1, state, sizeof state, &random1); // RACE
    srand48_r(1, &data0); // RACE
    lrand48_r(&data1, &number); // RACE
    drand48_r(&data2, &fraction); // RACE?
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

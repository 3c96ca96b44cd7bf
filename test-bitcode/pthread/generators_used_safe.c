// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// A generator of random numbers is used by two threads: one thread at a time has it told.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

static struct random_data random0, random1;
static struct drand48_data data0, data1, data2;
static __thread char state[8];
static __thread long number;
static __thread double fraction;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    srandom_r(1, &random0);
    initstate_r(1, state, sizeof state, &random1);
    srand48_r(1, &data0);
    lrand48_r(&data1, &number);
    drand48_r(&data2, &fraction);
    pthread_mutex_unlock(&lock);
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

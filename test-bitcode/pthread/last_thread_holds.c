// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// It runs beside nobody, and after all that the threads have done.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static long jobs;
static void report(void) { assert(jobs == 1); }

static void *work(void *argument)
{
    jobs++;
    return argument;
}

int main(void)
{
    pthread_t a;

    atexit(report);
    pthread_create(&a, 0, work, 0);
    pthread_exit(0);
}

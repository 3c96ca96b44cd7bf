// irkiss: ; expect: assert ; forms: nopass ; lazy: yes
//
// main ends by pthread_exit: what is registered for the end runs when the last thread has ended.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static _Atomic int jobs;
static void report(void) { assert(jobs == 0); } // ASSERT-FAILS

static void *work(void *argument)
{
    jobs++;
    return argument;
}

int main(void)
{
    pthread_t a, b;

    if (atexit(report) != 0)
        return 1;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_exit(0);
}

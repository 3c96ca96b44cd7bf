// irkiss: ; expect: unknown ; reason: vacuous ; forms: nopass
//
// The thread is never created: that nothing was found says nothing.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

int value;

static int configured(void)
{
    return 0;
}

static void *worker(void *argument)
{
    value = 1;
    return argument;
}

int main(void)
{
    pthread_t thread;
    if (!configured())
        exit(1);
    pthread_create(&thread, NULL, worker, NULL);
    value = 2;
    pthread_join(thread, NULL);
    return 0;
}

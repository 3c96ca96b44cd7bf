// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// A thread that never ends by itself is cancelled, and joined before its data is used.
#include <pthread.h>

static int value;

static void *worker(void *argument)
{
    for (;;) {
        value++; // NORACE
        pthread_testcancel();
    }
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    value = 2; // NORACE
    return 0;
}

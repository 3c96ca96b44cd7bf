// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// Who cancels a thread and does not join it runs beside what the thread still does.
#include <pthread.h>

static int value;

static void *worker(void *argument)
{
    for (;;) {
        value++; // RACE
        pthread_testcancel();
    }
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_cancel(thread);
    value = 2; // RACE
    return 0;
}

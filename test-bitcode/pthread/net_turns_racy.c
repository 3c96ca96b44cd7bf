// irkiss: ; expect: race
// irkiss: --tier contexts --contexts 3 ; expect: race
//
// The two threads answer each other before they meet: no balanced execution has the main thread go on while the other waits. The net has a
// run that does, and it says where the threads switch.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int turn;
int value;

static void *worker(void *argument)
{
    if (turn != 1)
        return NULL;
    turn = 2;
    if (turn != 3)
        return NULL;
    turn = 4;
    value = 1; // RACE
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    turn = 1;
    if (turn != 2)
        return 0;
    turn = 3;
    if (turn != 4)
        return 0;
    value = 2; // RACE
    return 0;
}

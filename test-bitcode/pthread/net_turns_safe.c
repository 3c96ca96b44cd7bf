// irkiss: ; expect: none
//
// As net_turns_racy.c, but the last answer depends on an arithmetic fact that nets know nothing of: their run is none of the program.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static atomic_int turn;
int value;
unsigned number;

static void *worker(void *argument)
{
    if (turn != 1)
        return NULL;
    turn = 2;
    if (turn != 3)
        return NULL;
    if (number * number % 8 != 5)
        return NULL;
    turn = 4;
    value = 1; // NORACE
    return argument;
}

int main(void)
{
    pthread_t thread;
    number = (unsigned)rand();
    pthread_create(&thread, NULL, worker, NULL);
    turn = 1;
    if (turn != 2)
        return 0;
    turn = 3;
    if (turn != 4)
        return 0;
    value = 2; // NORACE
    return 0;
}

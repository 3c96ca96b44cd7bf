// irkiss: --tier contexts --contexts 2 ; expect: none ; lazy: yes
// irkiss: --tier contexts --contexts 2 --rounds eager ; expect: none ; lazy: yes
//
// What is handed on is freed before anything is written there: the worker sees no 1, it dies or reads what was there (0).
#include <irkiss.h>
#include <stdlib.h>

int *_Atomic handed;
_Atomic int got;

static void worker(void *argument)
{
    (void)argument;
    got = *(volatile int *)handed + 1;
}

int main(void)
{
    int *number = calloc(1, sizeof *number);
    if (!number)
        return 1;
    handed = number;
    irkiss_async(worker, 0);
    free(number);
    irkiss_assert(got != 2);
    return 0;
}

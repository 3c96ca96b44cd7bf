// irkiss: --property assert ; expect: assert ; lazy: yes
//
// A comparison gives up: it jumps out of qsort, and what the function does then is executed.
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf out;

static int by_nothing(const void *a, const void *b)
{
    longjmp(out, 1);
}

static void *work(void *unused)
{
    int values[2] = { 2, 1 };

    if (setjmp(out) == 0)
        qsort(values, 2, sizeof values[0], by_nothing);
    else
        assert(0); // ASSERT-FAILS
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}

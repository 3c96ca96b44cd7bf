// irkiss: ; expect: unknown ; reason: what measure_everything does with memory ; forms: o0 ; lazy: yes
//
// A function without a model is given memory that both threads use, and the compiler (-O0) has left the types of its declaration out:
// nothing tells whether it writes there.
#include <pthread.h>

void measure_everything(int *results);

static int results[4];

static void *work(void *argument)
{
    measure_everything(results);
    return argument;
}

int main(void)
{
    pthread_t a;

    if (pthread_create(&a, 0, work, 0) != 0)
        return 1;
    work(0);
    pthread_join(a, 0);
    return 0;
}

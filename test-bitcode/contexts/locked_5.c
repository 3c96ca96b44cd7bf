// irkiss: --tier kiss --ts 2 ; expect: none ; forms: nopass
// irkiss: --tier contexts --contexts 4 ; expect: none ; forms: nopass
// irkiss: --tier contexts --contexts 5 ; expect: assert ; forms: nopass
// irkiss: --tier contexts --contexts 5 --switches 8 ; expect: none ; forms: nopass
// irkiss: --tier contexts --contexts 5 --switches 9 ; expect: assert ; forms: nopass
//
// The same with a mutex: no data race, and the lock is held across no switch that matters.
#include <irkiss.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int turn;

static void step(int from)
{
    pthread_mutex_lock(&lock);
    if (turn == from)
        turn = from + 1;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *argument)
{
    step(1);
    step(3);
    step(5);
    step(7);
    step(9);
    pthread_mutex_lock(&lock);
    irkiss_assert(turn != 10); // ASSERT-FAILS
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, 0, worker, 0);
    step(0);
    step(2);
    step(4);
    step(6);
    step(8);
    return 0;
}

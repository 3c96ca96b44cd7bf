// irkiss: --tier kiss --ts 2 ; expect: none
// irkiss: --tier contexts --contexts 1 ; expect: none
// irkiss: --tier contexts --contexts 2 ; expect: assert
// irkiss: --tier contexts --contexts 2 --switches 2 ; expect: none
// irkiss: --tier contexts --contexts 2 --switches 3 ; expect: assert
// irkiss: --tier contexts --contexts 1 --rounds eager ; expect: none
// irkiss: --tier contexts --contexts 2 --rounds eager ; expect: assert
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
    pthread_mutex_lock(&lock);
    irkiss_assert(turn != 4); // ASSERT-FAILS
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, 0, worker, 0);
    step(0);
    step(2);
    return 0;
}

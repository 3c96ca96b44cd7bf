// irkiss: --ts 1 ; expect: none
// irkiss: --tier contexts --contexts 3 ; expect: none
// irkiss: --tier contexts --contexts 4 ; expect: none
// irkiss: --work 400k ; expect: none ; lazy: yes
//
// Two threads that lift each other's number by one, in turns: five is as far as they get. Nobody
// says how far is to be searched: the last run goes as far as it costs little, and finds nothing.
#include <assert.h>
#include <pthread.h>

static _Atomic int a = 1, b = 1;

static void *lift_a(void *arg)
{
    a = b + 1;
    a = b + 1;
    return arg;
}

static void *lift_b(void *arg)
{
    b = a + 1;
    b = a + 1;
    return arg;
}

int main(void)
{
    pthread_t x, y;
    pthread_create(&x, 0, lift_a, 0);
    pthread_create(&y, 0, lift_b, 0);
    assert(a < 6);
    return 0;
}

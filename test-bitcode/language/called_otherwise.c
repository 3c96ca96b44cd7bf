// irkiss: ; expect: race
//
// A call through a pointer to a function of another type: numbers are extended or cut, as machines do.
#include <irkiss.h>
#include <pthread.h>

static int count;

static int add(void *unused, unsigned long n)
{
    count += n == 3; // RACE
    return 0;
}

static int (*volatile operation)(void *, int) = (int (*)(void *, int))add;

static void *worker(void *unused)
{
    operation(unused, 3);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    operation(0, 3);
    return count; // RACE?
}

// irkiss: ; expect: unknown ; reason: with other types than its own
//
// A call through a pointer to a function of another type is undefined: nothing is said of what comes after it.
#include <irkiss.h>
#include <pthread.h>

static int count;

static int add(void *unused, unsigned long n)
{
    count += n == 3;
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
    return count;
}

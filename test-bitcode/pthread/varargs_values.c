// irkiss: --property race,assert ; expect: none
//
// Variable arguments of several types, read by a function that gets the list, and once more from a copy of it.
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>

struct triple {
    long x, y, z;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static long sum_list(va_list list)
{
    long sum = va_arg(list, int);
    sum += va_arg(list, long);
    sum += (long)va_arg(list, double);
    struct triple t = va_arg(list, struct triple);
    return sum + t.x + t.y + t.z;
}

static long sum(int unused, ...)
{
    va_list list, copy;
    va_start(list, unused);
    va_copy(copy, list);
    long sum = sum_list(list) + va_arg(copy, int);
    va_end(copy);
    va_end(list);
    return sum;
}

static void *worker(void *unused)
{
    struct triple t = { 10, 20, 30 };
    long one = sum(0, 1, 2L, 3.5, t);
    assert(one == 67);
    pthread_mutex_lock(&lock);
    total += one;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

// irkiss: ; expect: race
//
// What variable arguments point to is written.
#include <pthread.h>
#include <stdarg.h>

static int first, second;

static void bump(int n, ...)
{
    va_list list;
    va_start(list, n);
    for (int i = 0; i < n; i++) {
        int *p = va_arg(list, int *);
        (*p)++; // RACE
    }
    va_end(list);
}

static void *worker(void *unused)
{
    bump(2, &first, &second);
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

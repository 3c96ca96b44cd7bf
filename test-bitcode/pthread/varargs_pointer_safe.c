// irkiss: ; expect: none
//
// As varargs_pointer_racy.c, but each thread hands over its own.
#include <pthread.h>
#include <stdarg.h>

static void bump(int n, ...)
{
    va_list list;
    va_start(list, n);
    for (int i = 0; i < n; i++) {
        int *p = va_arg(list, int *);
        (*p)++;
    }
    va_end(list);
}

static void *worker(void *unused)
{
    int first = 1, second = 2;
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

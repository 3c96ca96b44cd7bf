// irkiss: ; expect: none
//
// The C library's magnitudes of numbers, which two threads ask for; by pointers, or the compiler would compute them itself.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int (*volatile of_number)(int) = abs;
static long (*volatile of_long)(long) = labs;
static long long (*volatile of_wide)(long long) = llabs;

static void *of_int(void *number)
{
    int n = *(int *)number % 100;

    assert(of_number(n) == (n < 0 ? -n : n));
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int n = -argc;
    long wide = -argc;

    if (pthread_create(&thread, 0, of_int, &n))
        return 1;
    assert(of_long(wide) == argc);
    assert(of_wide(wide) == argc);
    pthread_join(thread, 0);
    return 0;
}

// irkiss: ; expect: none
//
// As undeclared_calls_racy.c, but what is written is the thread's own.
#include <pthread.h>
#include <stddef.h>

extern void *malloc(unsigned);
extern void free();

static int shared;

static void put(p, n)
int *p;
long n;
{
    *p = n;
}

static void *worker(void *unused)
{
    int *own = malloc(sizeof(int));
    if (!own)
        return NULL;
    put(own, 3);
    put(own, 4);
    free(own);
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

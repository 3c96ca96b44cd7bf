// irkiss: ; expect: race ; forms: nopass
//
// Functions are called with other types than their own, as old code does.
#include <pthread.h>
#include <stddef.h>

extern void *malloc(unsigned);
extern void free();

static int shared;

static void put(p, n)
int *p;
long n;
{
    *p = n; // RACE
}

static void *worker(void *unused)
{
    int *own = malloc(sizeof(int));
    if (!own)
        return NULL;
    put(own, 3);
    put(&shared, 4);
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

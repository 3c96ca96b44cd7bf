// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// The numbers of drand48 come from a state of all threads (glibc: MT-Unsafe race:drand48).
#include <pthread.h>
#include <stdlib.h>

static double drawn[2];

static void *one(void *unused)
{
    drawn[0] = drand48(); // RACE
    return unused;
}

static void *other(void *unused)
{
    drawn[1] = drand48(); // RACE
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// Two threads look for variables that nobody changes; others draw random numbers, which glibc does under a lock.
#include <pthread.h>
#include <stdlib.h>

static int found[2], drawn[2];

static void *one(void *unused)
{
    found[0] = getenv("HOME") != 0;
    drawn[0] = rand();
    return unused;
}

static void *other(void *unused)
{
    found[1] = getenv("PATH") != 0;
    drawn[1] = rand();
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

// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// As drand48_state_racy.c, under a lock.
#include <pthread.h>
#include <stdlib.h>

static double drawn[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *unused)
{
    pthread_mutex_lock(&lock);
    drawn[0] = drand48(); // NORACE
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *other(void *unused)
{
    pthread_mutex_lock(&lock);
    drawn[1] = drand48(); // NORACE
    pthread_mutex_unlock(&lock);
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

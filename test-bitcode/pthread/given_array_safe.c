// irkiss: ; expect: none ; lazy: yes
//
// A function without a model may write all of an array.
#include <pthread.h>

extern void lib_fill(int *values, int count);
static int values[4];
int seen;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *unused)
{
    pthread_mutex_lock(&lock);
    lib_fill(values, 4);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t t;
    if (pthread_create(&t, 0, other, 0))
        return 1;
    pthread_mutex_lock(&lock);
    seen = values[2];
    pthread_mutex_unlock(&lock);
    pthread_join(t, 0);
    return 0;
}

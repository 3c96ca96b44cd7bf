// irkiss: ; expect: none ; lazy: yes
//
// A function without a model may write what it is given beyond its parameters.
#include <pthread.h>

extern int lib_get(int what, ...);
static int size;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *unused)
{
    pthread_mutex_lock(&lock);
    lib_get(1, &size);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t t;
    if (pthread_create(&t, 0, other, 0))
        return 1;
    pthread_mutex_lock(&lock);
    if (size > 3)
        size = 3;
    pthread_mutex_unlock(&lock);
    pthread_join(t, 0);
    return 0;
}

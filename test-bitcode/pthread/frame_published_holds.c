// irkiss: --property uaf ; expect: none ; forms: nopass ; lazy: yes
//
// The pointer is taken back before the function returns.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *published;

static void publish(int value)
{
    int local = value;

    pthread_mutex_lock(&lock);
    published = &local;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    published = 0;
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    if (published)
        *published = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, work, 0);
    publish(3);
    pthread_join(a, 0);
    return 0;
}

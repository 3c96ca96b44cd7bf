// irkiss: --property uaf ; expect: uaf ; forms: nopass ; lazy: yes
//
// What a pointer of all threads leads to was a local variable, whose function has returned.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *published;

static void publish(int value)
{
    int local = value;

    pthread_mutex_lock(&lock);
    published = &local;
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    if (published)
        *published = 1; // FREED
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

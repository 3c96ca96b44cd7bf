// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// Of two locks both threads take the one that the number of their process says; a child has another one.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int value;
static pthread_mutex_t even = PTHREAD_MUTEX_INITIALIZER, odd = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    pthread_mutex_t *lock = getpid() % 2 == 0 ? &even : &odd;
    pthread_mutex_lock(lock);
    value++;
    pthread_mutex_unlock(lock);
    return argument;
}

int main(void)
{
    pthread_t a, b;
    int before = getpid();
    int child = fork();
    if (child == 0)
        assert(getpid() != before);
    else
        assert(getpid() == before && child != before);
    if (child == 0)
        return 0;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// The first handler, which counts without care, has been replaced before there are threads.
#include <pthread.h>
#include <signal.h>

static long early;
static _Atomic long late;
static void simple(int number) { (void)number; early++; }
static void careful(int number) { (void)number; late++; }

static void *work(void *argument)
{
    raise(SIGUSR1);
    return argument;
}

int main(void)
{
    pthread_t a, b;

    signal(SIGUSR1, simple);
    raise(SIGUSR1);
    signal(SIGUSR1, careful);
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

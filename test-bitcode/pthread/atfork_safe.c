// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// Functions around fork take the lock and give it back; nobody else calls them.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;
static void before(void) { pthread_mutex_lock(&lock); }
static void after(void) { pthread_mutex_unlock(&lock); }

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    value++;
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t a;

    pthread_atfork(before, after, after);
    pthread_create(&a, 0, work, 0);
    if (fork() == 0)
        _exit(0);
    pthread_mutex_lock(&lock);
    value++;
    pthread_mutex_unlock(&lock);
    pthread_join(a, 0);
    return 0;
}

// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// The function that fork calls first counts without a lock.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;
static void before(void) { value++; } // RACE
static void after(void) {  }

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    value++; // RACE
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
    pthread_join(a, 0);
    return 0;
}

// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// A handler of a signal sets the flag that a thread looks at.
#include <pthread.h>
#include <signal.h>

static volatile sig_atomic_t stop;
static int data;

static void set(void) { stop = 1; }
static void handler(int number) { (void)number; set(); }

static void *work(void *unused)
{
    if (!stop)
        data++;
    return unused;
}

int main(void)
{
    pthread_t a;

    signal(SIGINT, handler);
    pthread_create(&a, 0, work, 0);
    if (stop)
        return 1;
    pthread_join(a, 0);
    return data;
}

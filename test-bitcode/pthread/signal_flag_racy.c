// irkiss: ; expect: race ; forms: nopass
//
// `volatile sig_atomic_t` is for handlers of signals: between threads, where no handler is, accesses race like any others.
#include <pthread.h>
#include <signal.h>

static volatile sig_atomic_t ready;
static int data;

static void *work(void *unused)
{
    if (ready) // RACE
        data++;
    return unused;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, work, 0);
    data = 7;
    ready = 1; // RACE
    pthread_join(a, 0);
    return 0;
}

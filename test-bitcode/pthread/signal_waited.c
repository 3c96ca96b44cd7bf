// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// What a thread waits for is a signal of the set that it names.
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static sigset_t set;

static void *work(void *argument)
{
    struct timespec duration = { 0, 1 };
    siginfo_t details;
    int number;
    assert(sigwait(&set, &number) != 0 || number == SIGTERM);
    assert(sigwaitinfo(&set, &details) == SIGTERM && details.si_signo == SIGTERM);
    number = sigtimedwait(&set, &details, &duration);
    assert(number == -1 || number == SIGTERM);
    return argument;
}

int main(void)
{
    pthread_t a;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_create(&a, 0, work, 0);
    pthread_join(a, 0);
    return 0;
}

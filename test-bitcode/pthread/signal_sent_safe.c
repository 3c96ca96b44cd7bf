// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// Handlers that count atomically.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static _Atomic int sent, queued;
static void first(int number) { (void)number; sent++; }
static void second(int number) { (void)number; queued++; }

static void *work(void *argument)
{
    union sigval value = { 0 };
    pthread_sigqueue(pthread_self(), SIGUSR1, value);
    sigqueue(getpid(), SIGUSR2, value);
    return argument;
}

int main(void)
{
    pthread_t a, b;

    signal(SIGUSR1, first);
    signal(SIGUSR2, second);
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

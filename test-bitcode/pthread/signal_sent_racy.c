// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// A signal that is sent with a value runs its handler, as any; who waits for a signal runs any of the handlers.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int sent, queued, paused;
static void first(int number) { (void)number; sent++; } // RACE
static void second(int number) { (void)number; queued++; } // RACE
static void third(int number) { (void)number; paused++; } // RACE

static void *work(void *argument)
{
    union sigval value = { 0 };
    pthread_sigqueue(pthread_self(), SIGUSR1, value);
    sigqueue(getpid(), SIGUSR2, value);
    return argument;
}

static void *waits(void *argument)
{
    pause();
    return argument;
}

int main(void)
{
    pthread_t a, b, c, d;

    signal(SIGUSR1, first);
    signal(SIGUSR2, second);
    signal(SIGTERM, third);
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_create(&c, 0, waits, 0);
    pthread_create(&d, 0, waits, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

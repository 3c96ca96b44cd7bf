// irkiss: ; expect: race
//
// What is executed depends on a comparison of floating-point numbers, which holds.
#include <pthread.h>

static double level = 0.5;
static int alarms;

static void *worker(void *unused)
{
    if (level * 2.0 > 0.75)
        alarms++; // RACE
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

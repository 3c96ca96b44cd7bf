// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// A loop of a million rounds: the first is enough for the race.
#include <pthread.h>

static long count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
    for (long i = 0; i < 1000000; i++) {
        count++; // RACE
    }
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

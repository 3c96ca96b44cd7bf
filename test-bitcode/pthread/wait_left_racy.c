// irkiss: ; expect: race ; lazy: yes
//
// Linux writes back what was left of the time (select(2)).
#include <pthread.h>
#include <sys/select.h>

static struct timeval wait_for = { 1, 0 };
long seen;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *unused)
{
    select(0, 0, 0, 0, &wait_for); // RACE
    return 0;
}

int main(void)
{
    pthread_t t;
    if (pthread_create(&t, 0, other, 0))
        return 1;
    seen = wait_for.tv_usec; // RACE
    pthread_join(t, 0);
    return 0;
}

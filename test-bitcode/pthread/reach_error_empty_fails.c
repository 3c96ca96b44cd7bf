// irkiss:  ; expect: assert ; forms: nopass ; lazy: yes
//
// The error function has a body that does nothing, as in the files of SV-COMP 2020: calling it is the error all the same
#include <pthread.h>

void reach_error(void) {}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int taken;

static void *taker(void *unused)
{
    pthread_mutex_lock(&lock);
    taken = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, taker, 0);
    pthread_mutex_lock(&lock);
    if (taken)
        reach_error(); // ASSERT-FAILS
    pthread_mutex_unlock(&lock);
    pthread_join(t, 0);
    return 0;
}

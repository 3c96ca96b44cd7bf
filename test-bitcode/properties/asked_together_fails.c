// irkiss: --property race,assert,uaf,deadlock,lock-misuse --work 400k ; expect: assert ; lazy: yes
//
// What is looked for besides does not keep the assertion from being found.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t seats_lock = PTHREAD_MUTEX_INITIALIZER;
static int seats = 1, sold;

static void *seller(void *unused)
{
    int left;

    pthread_mutex_lock(&seats_lock);
    left = seats;
    pthread_mutex_unlock(&seats_lock);
    pthread_mutex_lock(&seats_lock);
    if (left > 0) {
        seats--;
        sold++;
    }
    pthread_mutex_unlock(&seats_lock);
    return 0;
}

int main(void)
{
    pthread_t first, second;

    if (pthread_create(&first, 0, seller, 0) || pthread_create(&second, 0, seller, 0))
        return 1;
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(sold <= 1); // ASSERT-FAILS
    return 0;
}

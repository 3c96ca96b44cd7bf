// irkiss: --property race ; expect: none; by: lockset
// irkiss: --tier coverability --property race ; expect: none; by: coverability
// irkiss: --property assert --ts 1 ; expect: assert
// irkiss: --property atomicity ; expect: finds
//
// Table 1 of "Model Checking Race-Freeness", Lock-ReadWriteOnly: each access is made under the lock, the update as a whole is not. No
// race, and yet an update gets lost: the assertion says so, and that what was read is overwritten in between.
#include <irkiss.h>
#include <pthread.h>
#include <stddef.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int balance;

static void update(void)
{
    int value;
    pthread_mutex_lock(&lock);
    value = balance; // NORACE FINDS:atomicity@4
    pthread_mutex_unlock(&lock);
    value++;
    pthread_mutex_lock(&lock);
    balance = value; // NORACE FINDS:atomicity@4
    pthread_mutex_unlock(&lock);
}

static void *worker(void *argument)
{
    update();
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    update();
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock);
    irkiss_assert(balance == 2); // ASSERT-FAILS@3
    pthread_mutex_unlock(&lock);
    return 0;
}

// irkiss: --ts 1 ; expect: none ; lazy: yes
// irkiss: --ts 2 ; expect: assert
// irkiss: ; expect: assert ; lazy: yes
//
// The writer, whose lock is another one, has to come while the reader waits between its accesses: both are pending at once.
#include <assert.h>
#include <pthread.h>

static _Atomic int shared;
static pthread_mutex_t data = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *arg)
{
    pthread_mutex_lock(&data);
    int before = shared;
    shared = before + 1;
    assert(shared == before + 1); // ASSERT-FAILS@2,3
    pthread_mutex_unlock(&data);
    return arg;
}

static void *writer(void *arg)
{
    pthread_mutex_lock(&other);
    shared = 7;
    pthread_mutex_unlock(&other);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, writer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

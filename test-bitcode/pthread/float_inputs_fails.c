// irkiss: --property race,assert ; expect: assert ; lazy: yes
//
// Not every integer of 32 bits is a number of 24.
#include <assert.h>
#include <irkiss.h>
#include <math.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double mean;

static void *worker(void *unused)
{
    int x = (int)__irkiss_nondet_u32();
    double f = x;
    assert((int)f == x);
    assert(-f <= 3e9 && -f >= -3e9);
    float g = (float)(x & 0xffff);
    assert(g + 1.0f > g);
    assert((double)(float)f == f); // ASSERT-FAILS
    pthread_mutex_lock(&lock);
    mean = (mean + f) / 2;
    pthread_mutex_unlock(&lock);
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

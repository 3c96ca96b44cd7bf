// irkiss: --property assert ; expect: assert ; forms: nopass ; lazy: yes
//
// Who fails to take the token by a weak compare-and-exchange concludes that the other has it: it may fail by itself.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int token;
static atomic_int taken;

static void *take(void *unused)
{
    int free_now = 0;

    if (atomic_compare_exchange_weak(&token, &free_now, 1))
        taken++;
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, take, 0);
    pthread_create(&b, 0, take, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(taken == 1); // ASSERT-FAILS
    return 0;
}

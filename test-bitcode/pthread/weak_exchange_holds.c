// irkiss: --property assert ; expect: none ; forms: nopass ; lazy: yes
//
// Who fails to take the token by a strong compare-and-exchange knows that the other has it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int token;
static atomic_int taken;

static void *take(void *unused)
{
    int free_now = 0;

    if (atomic_compare_exchange_strong(&token, &free_now, 1))
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
    assert(taken == 1);
    return 0;
}

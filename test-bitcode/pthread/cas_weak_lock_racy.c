// irkiss:  ; expect: race+assert ; forms: nopass ; lazy: yes
//
// A spin lock of compare_exchange_weak that forgets to reset what it expects: the second attempt succeeds on a taken lock
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int word;
static int credit = 10, debit;
static void enter(void)
{
	int free_now = 0;
	while (!atomic_compare_exchange_weak_explicit(&word, &free_now, 1, memory_order_acquire, memory_order_relaxed))
		;
}
static void leave(void) { atomic_store_explicit(&word, 0, memory_order_release); }
static void *move(void *arg)
{
	enter();
	credit--; // RACE
	debit++; // RACE
	leave();
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, move, 0);
	pthread_create(&b, 0, move, 0);
	enter();
	assert(credit + debit == 10); // ASSERT-FAILS
	leave();
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}

// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// A spin lock of compare_exchange_weak, with acquire and release
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int word;
static int credit = 10, debit;
static void enter(void)
{
	int free_now = 0;
	while (!atomic_compare_exchange_weak_explicit(&word, &free_now, 1, memory_order_acquire, memory_order_relaxed))
		free_now = 0;
}
static void leave(void) { atomic_store_explicit(&word, 0, memory_order_release); }
static void *move(void *arg)
{
	enter();
	credit--;
	debit++;
	leave();
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, move, 0);
	pthread_create(&b, 0, move, 0);
	enter();
	assert(credit + debit == 10);
	leave();
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}

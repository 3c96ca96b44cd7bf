// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// Atomic_flag as a lock: cleared one statement too early
#include <pthread.h>
#include <stdatomic.h>
static atomic_flag busy = ATOMIC_FLAG_INIT;
static int a, b;
static void *turn(void *arg)
{
	while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
		;
	a++;
	atomic_flag_clear_explicit(&busy, memory_order_release);
	b++; // RACE
	return arg;
}
int main(void)
{
	pthread_t x, y;
	pthread_create(&x, 0, turn, 0);
	pthread_create(&y, 0, turn, 0);
	pthread_join(x, 0);
	pthread_join(y, 0);
	return a + b;
}

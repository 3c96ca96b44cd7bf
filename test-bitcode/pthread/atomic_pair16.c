// irkiss:  ; expect: none ; forms: nopass ; lazy: yes
//
// An atomic structure of 16 bytes: pointer and version, changed by compare-and-exchange
#include <pthread.h>
#include <stdatomic.h>
struct versioned { void *head; unsigned long version; };
static _Atomic struct versioned top;
static int cell[2];
static void *swap(void *arg)
{
	struct versioned old = atomic_load(&top), new;
	do {
		new.head = arg;
		new.version = old.version + 1;
	} while (!atomic_compare_exchange_weak(&top, &old, new));
	return 0;
}
int main(void)
{
	pthread_t x, y;
	pthread_create(&x, 0, swap, &cell[0]);
	pthread_create(&y, 0, swap, &cell[1]);
	pthread_join(x, 0);
	pthread_join(y, 0);
	return 0;
}

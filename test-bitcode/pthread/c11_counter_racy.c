// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// C11 threads: the total is added under the mutex, and printed after one of two joins
#include <stdio.h>
#include <threads.h>
static mtx_t guard;
static once_flag ready = ONCE_FLAG_INIT;
static long total;
static void prepare(void) { mtx_init(&guard, mtx_plain); }
static int add(void *arg)
{
	call_once(&ready, prepare);
	mtx_lock(&guard);
	total += *(int *)arg; // RACE
	mtx_unlock(&guard);
	return thrd_success;
}
int main(void)
{
	thrd_t a, b;
	int x = 1, y = 2, rc;
	if (thrd_create(&a, add, &x) != thrd_success)
		return 1;
	if (thrd_create(&b, add, &y) != thrd_success)
		return 1;
	thrd_join(a, &rc);
	printf("%ld\n", total); // RACE
	thrd_join(b, &rc);
	return rc;
}

// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// Parts before the barrier, the sum after it, by the one whom the barrier names; main takes part
#include <assert.h>
#include <pthread.h>
static pthread_barrier_t meet;
static int part[3];
static int sum;
static void finish(void)
{
	if (pthread_barrier_wait(&meet) == PTHREAD_BARRIER_SERIAL_THREAD)
		sum = part[0] + part[1] + part[2];
}
static void *side(void *arg)
{
	int id = *(int *)arg;
	part[id] = 10 + id;
	finish();
	return 0;
}
int main(void)
{
	pthread_t a, b;
	int one = 1, two = 2;
	pthread_barrier_init(&meet, 0, 3);
	pthread_create(&a, 0, side, &one);
	pthread_create(&b, 0, side, &two);
	part[0] = 10;
	finish();
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(sum == 33);
	pthread_barrier_destroy(&meet);
	return 0;
}

// irkiss: ; expect: assert ; forms: nopass
//
// Before an answer that is not followed assertions fail as ever.
#include <assert.h>
#include <math.h>
#include <pthread.h>
static int steps;
static double last;
static void *work(void *power)
{
	assert(steps == 1); // ASSERT-FAILS
	last = pow(2, *(int *)power);
	return NULL;
}
int main(void)
{
	pthread_t t;
	int power = 3;
	pthread_create(&t, NULL, work, &power);
	last = 1;
	pthread_join(t, NULL);
	return 0;
}

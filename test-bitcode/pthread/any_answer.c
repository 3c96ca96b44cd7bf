// irkiss: ; expect: unknown ; reason: what pow answers ; forms: nopass
//
// What pow computes is not followed: that an assertion fails with another answer than it gives is no finding.
#include <assert.h>
#include <math.h>
#include <pthread.h>
static void *work(void *power)
{
	assert(pow(2, *(int *)power) == 8);
	return NULL;
}
int main(void)
{
	pthread_t t;
	int power = 3;
	pthread_create(&t, NULL, work, &power);
	pthread_join(t, NULL);
	return 0;
}

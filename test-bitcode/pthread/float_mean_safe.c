// irkiss: ; expect: none
// a running mean in double is updated under a lock
#include <math.h>
#include <pthread.h>
static double mean;
static int samples;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *sample(void *arg)
{
	double x = *(double *)arg;
	pthread_mutex_lock(&m);
	samples++;
	mean += (sqrt(x) - mean) / samples;
	pthread_mutex_unlock(&m);
	return 0;
}
int main(void)
{
	pthread_t a, b;
	double one = 1.5, two = 2.5;
	pthread_create(&a, 0, sample, &one);
	pthread_create(&b, 0, sample, &two);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return mean > 0.0;
}

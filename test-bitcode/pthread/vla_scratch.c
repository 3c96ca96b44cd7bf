// irkiss:  ; expect: none ; forms: nopass ; lazy: yes
//
// Each worker sorts in an array of variable length on its own stack
#include <pthread.h>
static int median[2];
static void *worker(void *arg)
{
	long id = (long)arg;
	int n = 3 + (int)id;
	int scratch[n];
	for (int i = 0; i < n; i++)
		scratch[i] = n - i;
	for (int i = 0; i + 1 < n; i++)
		if (scratch[i] > scratch[i + 1]) {
			int swap = scratch[i];
			scratch[i] = scratch[i + 1];
			scratch[i + 1] = swap;
		}
	median[id] = scratch[n / 2];
	return 0;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, worker, (void *)0);
	pthread_create(&b, 0, worker, (void *)1);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return median[0] + median[1];
}

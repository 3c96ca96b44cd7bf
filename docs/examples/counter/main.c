/* Two threads, one counter. Neither file alone shows the race. */
#include <pthread.h>
#include <stdio.h>

#include "counter.h"

static void *work(void *arg)
{
	counter_add(1);
	return arg;
}

int main(void)
{
	pthread_t worker;

	if (pthread_create(&worker, NULL, work, NULL))
		return 1;
	counter_add(2);
	pthread_join(worker, NULL);
	printf("%d\n", counter_get());
	return 0;
}

// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// A daemon forks at its start; the parent leaves, the child makes threads that race
#include <pthread.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>
static int n;
static void *inc(void *arg) { n++; return arg; } // RACE
int main(void)
{
	pthread_t a, b;
	pid_t child = fork();
	if (child < 0)
		return 1;
	if (child > 0)
		exit(0);
	setsid();
	pthread_create(&a, 0, inc, 0);
	pthread_create(&b, 0, inc, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}

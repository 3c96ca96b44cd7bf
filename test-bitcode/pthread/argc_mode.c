// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// With an argument the program works without its lock
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int fast, n;
static void *work(void *arg)
{
	if (!fast)
		pthread_mutex_lock(&m);
	n++; // RACE
	if (!fast)
		pthread_mutex_unlock(&m);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	(void)argv;
	fast = argc > 1;
	pthread_create(&t, 0, work, 0);
	work(0);
	pthread_join(t, 0);
	return 0;
}

// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// The check is done without the lock only if an environment variable says so
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
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
	const char *mode = getenv("MODE");
	if (mode && strcmp(mode, "fast") == 0)
		fast = 1;
	pthread_create(&t, 0, work, 0);
	work(0);
	pthread_join(t, 0);
	return 0;
}

// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// A word on the command line turns the lock off: what the arguments say is looked at
#include <pthread.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int quiet;
static long sum;
static void *work(void *number)
{
	if (!quiet)
		pthread_mutex_lock(&m);
	sum += (long)number; // RACE
	if (!quiet)
		pthread_mutex_unlock(&m);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--quiet") == 0)
			quiet = 1;
		else
			return 1;
	}
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return quiet;
}

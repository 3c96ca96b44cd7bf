// irkiss: --work 800k ; expect: none ; forms: nopass
//
// No more is read from a pipe or written to it than was asked for
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n, unlocked;
static void *work(void *arg)
{
	if (unlocked < 2)
		pthread_mutex_lock(&m);
	n++;
	if (unlocked < 2)
		pthread_mutex_unlock(&m);
	return arg;
}
static void handler(int number) { (void)number; }
int main(void)
{
	pthread_t t;
	int ends[2];
	char c = 0;
	signal(SIGUSR1, handler);
	if (pipe(ends) != 0)
		return 1;
	if (write(ends[1], "ab", 2) > 2)
		unlocked = 2;
	if (read(ends[0], &c, 1) > 1)
		unlocked = 2;
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	return c;
}

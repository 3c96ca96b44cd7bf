// irkiss: ; expect: race ; forms: nopass
//
// Where their results are looked at, a write to a pipe may fail, and a read may be interrupted by a signal that is handled
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n, unlocked;
static void *work(void *arg)
{
	if (unlocked < 2)
		pthread_mutex_lock(&m);
	n++; // RACE
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
	if (write(ends[1], "ab", 2) == 2 && read(ends[0], &c, 1) < 0)
		unlocked++;
	if (write(ends[1], "c", 1) < 0)
		unlocked++;
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	return c;
}

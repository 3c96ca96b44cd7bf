// irkiss: ; expect: none ; forms: nopass
//
// What setenv and putenv answer is 0 or -1, and nothing else
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char by_hand[] = "BY_HAND=1";
static int n, unlocked;
static void *work(void *arg)
{
	if (!unlocked)
		pthread_mutex_lock(&m);
	n++;
	if (!unlocked)
		pthread_mutex_unlock(&m);
	return arg;
}
int main(void)
{
	pthread_t t;
	if (setenv("LOCKED", "1", 1) > 0 || putenv(by_hand) > 0)
		unlocked = 1;
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	return 0;
}

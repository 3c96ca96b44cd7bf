// irkiss:  ; expect: race ; lazy: yes
//
// A handler sets a plain flag while the first thread waits for the other to end
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
static int stop;
static void interrupted(int number)
{
	(void)number;
	stop = 1; // RACE
}
static void *work(void *arg)
{
	while (!stop) // RACE?
		usleep(1000);
	return arg;
}
int main(void)
{
	pthread_t t;
	struct sigaction action;
	memset(&action, 0, sizeof action);
	action.sa_handler = interrupted;
	sigaction(SIGINT, &action, NULL);
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	return 0;
}

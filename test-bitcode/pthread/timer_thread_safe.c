// irkiss: ; expect: none ; lazy: yes
//
// As timer_thread_racy.c, with a mutex around both.
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ticks;

static void on_tick(union sigval value)
{
	pthread_mutex_lock(&lock);
	ticks += value.sival_int;
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	struct itimerspec time = { { 0, 0 }, { 1, 0 } };
	struct sigevent event;
	timer_t timer;

	memset(&event, 0, sizeof event);
	event.sigev_notify = SIGEV_THREAD;
	event.sigev_notify_function = on_tick;
	event.sigev_value.sival_int = 1;
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		return 1;
	timer_settime(timer, 0, &time, NULL);
	pthread_mutex_lock(&lock);
	ticks++;
	pthread_mutex_unlock(&lock);
	return timer_delete(timer);
}
